import { hashesOf, keyOfText, findVisibleTexts, partOfTool } from './visible-texts.ts'
import { linesOf } from './visible-lines.ts'
import { shortHash } from './short-hash.ts'
import { sameThread } from './same-thread.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Input } from '../inputs/input.ts'
import type { PackageTexts } from './visible-texts.ts'
import type { RecordedText, Recording } from './recording.ts'

/** A text of ours that the model saw when the recording was made, and would not see now. */
export interface StaleText {
  /** File, relative to the package. */
  readonly path: string
  readonly part: string
  /** First changed line of the part, from 1; `null` when it is gone. */
  readonly line: number | null
  readonly why: 'changed' | 'gone' | 'not-shown'
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
  const changed = changedInputs(recording, present.inputs)
  if (changed.size === 0) return []
  const sameEngine = recording.engine.version === present.engineVersion
  const current = currentTexts(present)
  const looked = findVisibleTexts(present.conversation, present.ours)

  const stale = new Map<string, StaleText>()
  for (const [index, thread] of recording.lanes.entries()) {
    const observed = present.conversation.threads.find((one) =>
      sameThread(recording.lanes, index, present.conversation.threads, one),
    )
    for (const [turn, { sees }] of thread.turns.entries()) {
      for (const sight of sees) {
        const key = keyOfText(sight)
        const shown = observed === undefined ? undefined : looked.get(observed)?.[turn]
        const found = judgeText(sight, current.get(key), shown === undefined ? null : (shown.get(key)?.lines ?? []))
        if (found === null || stale.has(key)) continue
        if (sameEngine || isEdit(found, sight, changed)) stale.set(key, describe(sight, current.get(key), found))
      }
    }
  }
  return [...stale.values()]
}

/** Texts that the model is shown now and was not when the recording was made, such as a new rule; by file. */
export function findUnseen(recording: Recording, { conversation, ours }: Present): readonly string[] {
  const seen = new Set(recording.lanes.flatMap(({ turns }) => turns.flatMap(({ sees }) => sees.map(keyOfText))))
  const shown = [...findVisibleTexts(conversation, ours).values()].flatMap((turns) => [
    ...(turns.at(-1)?.values() ?? []),
  ])
  return [...new Set(shown.filter((sight) => !seen.has(keyOfText(sight))).map(({ path, part }) => `${path} (${part})`))]
}

type Found = 'edited' | 'gone' | 'grown' | 'not-shown'

// Another version of the engine may offer a tool later and show a text elsewhere, or more of it.
function isEdit(found: Found, sight: RecordedText, changed: ReadonlySet<string>): boolean {
  if (found === 'gone') return !sight.part.startsWith(partOfTool(''))
  return found === 'edited' || (found === 'grown' && changed.has(sight.path))
}

function judgeText(
  sight: RecordedText,
  text: string | undefined,
  shown: ReturnType<typeof linesOf> | null,
): Found | null {
  if (text === undefined) return 'gone'
  if (!` ${hashesOf(linesOf(text))} `.includes(` ${sight.lines} `)) return 'edited'
  // A request that was never sent shows nothing either way.
  if (shown === null) return null
  const now = hashesOf(shown)
  // A tool may have no description.
  if (now === '') return sight.lines === '' ? null : 'not-shown'
  return now.length > sight.lines.length ? 'grown' : null
}

function describe({ path, part, lines }: RecordedText, text: string | undefined, found: Found): StaleText {
  const before = new Set(lines.split(' '))
  const line = text === undefined ? undefined : linesOf(text).find(({ hash }) => !before.has(hash))
  const why = found === 'edited' || found === 'grown' ? 'changed' : found
  return { path, part, line: line?.number ?? null, why }
}

function currentTexts({ conversation, ours }: Present): ReadonlyMap<string, string> {
  const offers = conversation.threads.flatMap(({ turns }) => turns.flatMap((turn) => turn.offers))
  return new Map([
    ...ours.texts.map((text) => [keyOfText(text), text.text] as const),
    ...offers.flatMap(({ name, description }) => {
      const path = ours.fileOfTool(name)
      return path === null ? [] : [[keyOfText({ path, part: partOfTool(name) }), description] as const]
    }),
  ])
}

/** Paths of the inputs that are not as they were when the recording was made. */
export function changedInputs(recording: Pick<Recording, 'inputs'>, inputs: Present['inputs']): ReadonlySet<string> {
  const name = ({ path, role, hash }: Present['inputs'][number]): string => `${path}\0${role}\0${shortHash(hash)}`
  // A scenario is no text that a model sees.
  const before = recording.inputs.filter(({ role }) => role !== 'scenario')
  const now = inputs.filter(({ role }) => role !== 'scenario')
  const both = new Set(before.map(name).filter((one) => new Set(now.map(name)).has(one)))
  return new Set([...before, ...now].filter((input) => !both.has(name(input))).map(({ path }) => path))
}
