import { sameThread } from './build.ts'
import type { Conversation } from './conversation.ts'
import type { Input } from './input.ts'
import type { RecordedText, Recording } from './recording.ts'
import { findVisibleTexts, isOfTool, keyOfText, sightOf, toolSights, type PackageTexts } from './visible-texts.ts'

/** A text of ours that the model saw when the recording was made, and would not see now. */
export interface StaleText {
  /** File, relative to the package. */
  readonly path: string
  readonly part: string
  readonly why: 'changed' | 'gone' | 'new' | 'not-shown'
  /** The turn, from 1, in which the model saw it first, where there were several and it was on the main thread. */
  readonly turn?: number
}

/** What there is now, to hold a recording against. */
export interface Present {
  readonly conversation: Conversation
  readonly ours: PackageTexts
  readonly inputs: readonly Pick<Input, 'path' | 'role' | 'hash'>[]
  readonly engineVersion: string | null
}

/** Finds the edits that make a recording stale. What its model never saw cannot; equal hashes of all inputs settle it. */
export function findStale(recording: Recording, present: Present): readonly StaleText[] {
  if (changedInputs(recording, present.inputs).size === 0) return []
  const { threads } = present.conversation
  const sameEngine = recording.engine.version === present.engineVersion
  const hashes = currentHashes(present)
  const visible = findVisibleTexts(present.conversation, present.ours)

  const stale = new Map<string, StaleText>()
  for (const [index, { lane, turns }] of recording.lanes.entries()) {
    const observed = threads.find((one) => sameThread(recording.lanes, index, threads, one))
    const now = (observed === undefined ? undefined : visible.get(observed)) ?? []
    for (const [turn, { sees }] of turns.entries()) {
      // A request that was never sent shows nothing either way.
      const shown =
        turn < now.length ? new Set(now.slice(0, turn + 1).flatMap((sights) => sights.map(keyOfText))) : null
      for (const sight of sees) {
        const key = keyOfText(sight)
        const why = whyStale(sight, hashes.get(key), sameEngine, shown === null || shown.has(key))
        if (why === null || stale.has(key)) continue
        const ofTurn = recording.turns === undefined || lane !== 'main' ? {} : { turn: turnOf(recording.turns, turn) }
        stale.set(key, { path: sight.path, part: sight.part, why, ...ofTurn })
      }
    }
  }
  return [...stale.values()]
}

// Another version of the engine may offer a tool later and show a text elsewhere.
function whyStale(
  sight: RecordedText,
  hash: string | undefined,
  sameEngine: boolean,
  isShown: boolean,
): StaleText['why'] | null {
  if (hash === undefined) return sameEngine || !isOfTool(sight) ? 'gone' : null
  if (hash !== sight.hash) return 'changed'
  return sameEngine && !isShown ? 'not-shown' : null
}

function currentHashes({ conversation, ours }: Present): ReadonlyMap<string, string> {
  const turns = conversation.threads.flatMap((thread) => thread.turns)
  const sights = [...ours.texts.map(sightOf), ...turns.flatMap((turn) => toolSights(turn, ours.fileOfTool))]
  return new Map(sights.map((sight) => [keyOfText(sight), sight.hash]))
}

/** Texts that the model is shown now and was not when the recording was made, such as a new rule; by file. */
export function findUnseen(recording: Recording, { conversation, ours }: Present): readonly string[] {
  const seen = new Set(recording.lanes.flatMap(({ turns }) => turns.flatMap(({ sees }) => sees.map(keyOfText))))
  const shown = [...findVisibleTexts(conversation, ours).values()].flat(2)
  return [...new Set(shown.filter((sight) => !seen.has(keyOfText(sight))).map(({ path, part }) => `${path} (${part})`))]
}

// The turn of a request, by its place on the main thread.
function turnOf(turns: NonNullable<Recording['turns']>, request: number): number {
  let last = 0
  const found = turns.findIndex(({ requests }) => request < (last += requests))
  return found < 0 ? turns.length : found + 1
}

/** Paths of the inputs that are not as they were when the recording was made. */
export function changedInputs(recording: Pick<Recording, 'inputs'>, inputs: Present['inputs']): ReadonlySet<string> {
  const name = ({ path, role, hash }: Present['inputs'][number]): string => `${path}\0${role}\0${shortHash(hash)}`
  // A scenario is no text that a model sees.
  const before = recording.inputs.filter(({ role }) => role !== 'scenario')
  const now = inputs.filter(({ role }) => role !== 'scenario')
  const current = new Set(now.map(name))
  const both = new Set(before.map(name).filter((one) => current.has(one)))
  return new Set([...before, ...now].filter((input) => !both.has(name(input))).map(({ path }) => path))
}

/** As much of a hash as tells contents apart, so that a list of files stays readable. */
export function shortHash(hash: string): string {
  return hash.slice(0, 16)
}
