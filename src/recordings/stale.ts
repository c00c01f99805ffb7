import { tryReadText } from '../lib/files.ts'
import { sameThread } from './build.ts'
import type { Conversation } from './conversation.ts'
import type { RecordedText, Recording } from './recording.ts'
import type { Input } from './input.ts'
import {
  findVisibleTexts,
  hashesOf,
  keyOfText,
  linesOf,
  partOfTool,
  type Line,
  type PackageTexts,
} from './visible-texts.ts'

/** A text of ours that the model saw when the recording was made, and would not see now. */
export interface StaleText {
  /** File, relative to the package. */
  readonly path: string
  readonly part: string
  /** First changed line in the file, from 1; `null` when it is gone, or is written there in another form. */
  readonly line: number | null
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
        const found = judgeText(
          sight,
          current.get(key)?.text,
          shown === undefined ? null : (shown.get(key)?.lines ?? []),
        )
        if (found === null || stale.has(key)) continue
        if (!sameEngine && !isEdit(found, sight, changed)) continue
        const ofTurn =
          recording.turns === undefined || thread.lane !== 'main' ? {} : { turn: turnOf(recording.turns, turn) }
        stale.set(key, { ...describe(sight, current.get(key), found), ...ofTurn })
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

// The turn of a request, by its place on the main thread.
function turnOf(turns: NonNullable<Recording['turns']>, request: number): number {
  let last = 0
  const found = turns.findIndex(({ requests }) => request < (last += requests))
  return found < 0 ? turns.length : found + 1
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

function describe({ path, part, lines }: RecordedText, text: CurrentText | undefined, found: Found): StaleText {
  const before = new Set(lines.split(' '))
  const line = text === undefined ? undefined : linesOf(text.text).find(({ hash }) => !before.has(hash))
  const why = found === 'edited' || found === 'grown' ? 'changed' : found
  return { path, part, line: text === undefined || line === undefined ? null : lineInFile(text, line), why }
}

// A text of YAML or JSON may be indented there, or escaped: then its line is where it stands alone.
function lineInFile({ text, file }: CurrentText, { text: changed, number }: Line): number | null {
  if (file === null) return null
  const whole = file === undefined ? text : (tryReadText(file) ?? '')
  const start = whole.indexOf(text.trim())
  if (start !== -1) return lineAt(start, whole) + number - lineAt(text.search(/\S/), text)
  const found = whole.split('\n').flatMap((line, index) => (line.includes(changed) ? [index + 1] : []))
  return found.length === 1 ? (found[0] ?? null) : null
}

function lineAt(offset: number, text: string): number {
  return text.slice(0, offset).split('\n').length
}

/** `file: null` for the description of a tool, which a server's program has in its own way. */
interface CurrentText {
  readonly text: string
  readonly file?: string | null
}

function currentTexts({ conversation, ours }: Present): ReadonlyMap<string, CurrentText> {
  const offers = conversation.threads.flatMap(({ turns }) => turns.flatMap((turn) => turn.offers))
  return new Map<string, CurrentText>([
    ...ours.texts.map((text) => [keyOfText(text), text] as const),
    ...offers.flatMap(({ name, description }) => {
      const path = ours.fileOfTool(name)
      return path === null
        ? []
        : [[keyOfText({ path, part: partOfTool(name) }), { text: description, file: null }] as const]
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

/** As much of a hash as tells contents apart, so that a list of files stays readable. */
export function shortHash(hash: string): string {
  return hash.slice(0, 16)
}
