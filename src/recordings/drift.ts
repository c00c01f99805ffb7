import { isJsonObject } from '../lib/json.ts'
import { firstOf } from '../lib/lists.ts'
import { compareTexts, shorten } from '../lib/text.ts'
import type { AgentRun, HookWords } from '../transcript/transcript.ts'
import { markUnstable, markVolatile, recordLines, recordResult, sameThread } from './build.ts'
import type { Conversation, ObservedResult, ObservedThread } from './conversation.ts'
import type { AnswerBlock, ResultForm } from './messages.ts'
import type {
  RecordedHook,
  RecordedLines,
  RecordedResult,
  RecordedThread,
  RecordedWords,
  Recording,
} from './recording.ts'

/** A tool result that is not what the recorded model was answering to. */
export interface Drift {
  /** The call, as a person recognises it. */
  readonly call: string
  /** First line that differs, from 1; `null` when it is the error flag or follows the kept lines. */
  readonly line: number | null
  readonly recorded: string
  readonly now: string
}

/** Says what differs, with both texts; as many as `most` of it. */
export function describeDrift(
  recordedAt: string,
  differences: readonly Drift[],
  most: number = differences.length,
): string {
  const lines = differences.map(({ call, line, recorded, now }) => {
    return `${call}${line === null ? '' : `, line ${line}`}\n    recorded: ${recorded}\n    now:      ${now}`
  })
  return [`${BEGINNING} (${recordedAt.slice(0, 10)}):`, ...firstOf(lines, most)].join('\n  ')
}

/** Whether a notice is what {@link describeDrift} says. */
export function isDriftNotice(notice: string): boolean {
  return notice.startsWith(BEGINNING)
}

const BEGINNING = 'This differs from the recording'

/** Finds the tool results whose stable lines or error flag differ: a changed script, hook or fixture. */
export function findDrift(
  recording: Recording,
  { threads }: Conversation,
  sameEngine: boolean,
  form: ResultForm,
): readonly Drift[] {
  const delegated = new Set(recording.lanes.flatMap(({ given }) => (given === null ? [] : [given])))
  return recording.lanes.flatMap((thread, index) => {
    const observed = threads.find((one) => sameThread(recording.lanes, index, threads, one))
    // What a sub-agent handed back is its recorded answer in words of the engine's own.
    return observed === undefined
      ? []
      : driftOfThread(thread, observed, (call) => !sameEngine && delegated.has(promptOf(call)), form)
  })
}

type Call = Extract<AnswerBlock, { kind: 'tool-call' }>

function driftOfThread(
  thread: RecordedThread,
  observed: ObservedThread,
  isEnginesOwn: (call: Call) => boolean,
  form: ResultForm,
): readonly Drift[] {
  const calls = thread.turns.flatMap(({ answer }) => answer.content.filter((block) => block.kind === 'tool-call'))
  const recorded = new Map(thread.turns.flatMap(({ results }) => results.map((result) => [result.id, result])))
  const now = new Map(observed.turns.flatMap(({ results }) => results.map((result) => [result.id, result])))
  return calls.flatMap((call) => {
    const before = recorded.get(call.id)
    const after = now.get(call.id)
    // A call that was never answered was never compared either.
    if (before === undefined || (after === undefined && observed.turns.length < thread.turns.length)) return []
    if (after === undefined)
      return [{ call: describeCall(call), line: null, recorded: shownLines(before.lines), now: 'no result' }]
    const difference = compare(call, before, after, isEnginesOwn(call), form)
    if (difference === null) return []
    // Sub-agents that were given the same may answer in any order.
    const twins = calls.filter(
      (other) => other.id !== call.id && promptOf(other) === promptOf(call) && promptOf(call) !== '',
    )
    const swapped = twins.some((twin) => {
      const [theirs, mine] = [now.get(twin.id), recorded.get(twin.id)]
      return (
        theirs !== undefined &&
        mine !== undefined &&
        compare(call, before, theirs, false, form) === null &&
        compare(twin, mine, after, false, form) === null
      )
    })
    return swapped ? [] : [{ call: describeCall(call), ...difference }]
  })
}

// A recording of another release may hold its lines in another form, so one that is equal as it is has not drifted.
function compare(
  { name }: Call,
  recorded: RecordedResult,
  observed: ObservedResult,
  flagOnly: boolean,
  form: ResultForm,
): Omit<Drift, 'call'> | null {
  const before = { ...recorded, lines: recorded.lines.map((line) => form(line, name)) }
  const difference = compareResults(before, recordResult(observed, name, form), flagOnly)
  if (difference === null) return null
  return compareResults(recorded, recordResult(observed, name, AS_IT_IS), flagOnly) === null ? null : difference
}

const AS_IT_IS: ResultForm = (line) => line

/** How a result differs from the recorded one; `null` when it does not. */
function compareResults(before: RecordedResult, after: RecordedResult, flagOnly: boolean): Omit<Drift, 'call'> | null {
  if (before.isError !== after.isError) return { line: null, recorded: flagged(before), now: flagged(after) }
  return flagOnly ? null : compareLines(before, after)
}

/** How a text differs from the recorded one where that proved stable; `null` when it does not. */
function compareLines(before: RecordedLines, after: RecordedLines): Omit<Drift, 'call'> | null {
  const unstable = new Set(before.unstable)
  const stable = before.lines.flatMap((line, index) => (unstable.has(index + 1) ? [] : [{ line, number: index + 1 }]))
  const missing = before.varies
    ? firstMissing(stable, after.lines)
    : stable.find(({ line, number }) => after.lines[number - 1] !== line)
  if (missing !== undefined)
    return { line: missing.number, recorded: missing.line, now: after.lines[missing.number - 1] ?? 'no such line' }
  if (!before.varies && after.lines.length !== before.lines.length) {
    const number = Math.min(before.lines.length, after.lines.length) + 1
    return {
      line: number,
      recorded: before.lines[number - 1] ?? 'no such line',
      now: after.lines[number - 1] ?? 'no such line',
    }
  }
  if (before.rest !== null && before.rest !== after.rest)
    return {
      line: null,
      recorded: 'the text after the first 2 KB',
      now: after.rest === null ? 'nothing there' : 'different text',
    }
  return null
}

type NumberedLine = { readonly line: string; readonly number: number }

function firstMissing(stable: readonly NumberedLine[], lines: readonly string[]): NumberedLine | undefined {
  let from = 0
  for (const one of stable) {
    const found = lines.indexOf(one.line, from)
    if (found < 0) return one
    from = found + 1
  }
  return undefined
}

function flagged({ isError, lines }: RecordedResult): string {
  return `${isError ? 'an error' : 'no error'}: ${shownLines(lines)}`
}

/** Lines for a message. */
export function shownLines(lines: readonly string[]): string {
  return shorten(lines.join('\n'), SHOWN)
}

const SHOWN = 300

function describeCall({ name, input }: Call): string {
  const words = isJsonObject(input)
    ? (input['command'] ?? input['file_path'] ?? input['path'] ?? input['skill'])
    : undefined
  return typeof words === 'string' ? `${name} (${shorten(words.replaceAll('\n', ' '), SHOWN)})` : name
}

function promptOf({ input }: Call): string {
  const prompt = isJsonObject(input) ? input['prompt'] : undefined
  return typeof prompt === 'string' ? prompt.trim() : ''
}

/** What the hooks of a run decided, in a fixed order: hooks of parallel calls decide in any. */
export function recordHooks({ transcript }: Pick<AgentRun, 'transcript'>): readonly RecordedHook[] {
  return transcript
    .flatMap((event) => (event.kind === 'hook' && event.decision !== 'allowed' ? [event] : []))
    .map(({ event, tool, decision }) => ({ event, tool, decision }))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Finds the hooks that decide otherwise now. What a hook says beside a tool is in no tool's result. */
export function findHookDrift(
  recorded: readonly RecordedHook[] | null,
  now: readonly RecordedHook[],
): readonly Drift[] {
  if (recorded === null) return []
  const gone = without(recorded, now).map((hook) => drift(hook, hook.decision, 'none'))
  const added = without(now, recorded).map((hook) => drift(hook, 'none', hook.decision))
  return [...gone, ...added]
}

function drift(hook: RecordedHook, recorded: string, now: string): Drift {
  return { call: `the ${nameOfHook(hook)}`, line: null, recorded, now }
}

function nameOfHook({ event, tool }: Pick<RecordedHook, 'event' | 'tool'>): string {
  return `hook of ${event}${tool === null ? '' : ` (${tool})`}`
}

function without(hooks: readonly RecordedHook[], others: readonly RecordedHook[]): readonly RecordedHook[] {
  const left = others.map(keyOf)
  return hooks.filter((hook) => {
    const index = left.indexOf(keyOf(hook))
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

function keyOf({ event, tool, decision }: RecordedHook): string {
  return JSON.stringify([event, tool, decision])
}

type Told = readonly RecordedWords[]

/**
 * What the hooks of a run told, in a fixed order. A block of a call is in the call's result, and what no model gets is
 * kept only where it is for the user or changes a call. `plain` replaces what only this session has.
 */
export function recordWords(
  { transcript }: Pick<AgentRun, 'transcript'>,
  plain: (text: string) => string,
  form: ResultForm,
  volatile: readonly string[] = [],
): Told {
  const words = transcript.flatMap((seen) => {
    if (seen.kind !== 'hook') return []
    const { event, tool, told = [] } = seen
    const kept = told.filter((one) => isKept(one, event))
    return kept.map(({ what, text }) => ({ event, tool, what, ...recordLines(plain(text), null, form) }))
  })
  return sorted(words.map((one) => markVolatile(one, volatile)))
}

// Context that never arrived, such as that of a session that had ended, was no part of what the model answered.
function isKept({ what, reachedModel }: HookWords, event: string): boolean {
  if (what === 'reason') return reachedModel && event !== 'pre-tool-use'
  return reachedModel || what !== 'context'
}

function sorted(words: Told): Told {
  return words.toSorted((a, b) => compareTexts(groupOf(a), groupOf(b)))
}

/** How the words of hooks differ from the recorded ones, and those that the model is given now and was not. */
export function compareWords(
  recorded: Told | null,
  now: Told,
): { readonly drift: readonly Drift[]; readonly added: Told } {
  if (recorded === null) return { drift: [], added: [] }
  const { pairs, gone, added } = pairWords(recorded, now)
  return {
    drift: [
      ...pairs.flatMap(([before, after]) => {
        const difference = compareLines(before, after)
        return difference === null ? [] : [{ call: sourceOf(before), ...difference }]
      }),
      ...gone.map((words) => wordsDrift(words, shownLines(words.lines), NOTHING)),
      ...added
        .filter(({ what }) => !FOR_MODEL.has(what))
        .map((words) => wordsDrift(words, NOTHING, shownLines(words.lines))),
    ],
    added: added.filter(({ what }) => FOR_MODEL.has(what)),
  }
}

/** Words that a model was given and is not any more, or the other way round, as drift. */
export function wordsDrift(words: RecordedWords, recorded: string, now: string): Drift {
  return { call: sourceOf(words), line: null, recorded, now }
}

/** The words with the lines marked that a second run gave differently; `null` where hooks speak as they like. */
export function withUnstableWords(words: Told, again: Told): Told | null {
  const { pairs, gone, added } = pairWords(words, again)
  if (gone.length > 0 || added.length > 0) return null
  return sorted(pairs.map(([first, second]) => markUnstable(first, second)))
}

/** Such as `what the hook of session-start tells the model`. */
export function sourceOf(words: RecordedWords): string {
  return `what the ${nameOfHook(words)} ${DOES[words.what]}`
}

const DOES: Readonly<Record<RecordedWords['what'], string>> = {
  context: 'tells the model',
  input: 'makes of the input',
  message: 'tells the user',
  output: 'makes of the output',
  reason: 'tells the model',
}
const FOR_MODEL: ReadonlySet<RecordedWords['what']> = new Set(['context', 'reason'])
export const NOTHING = 'nothing'

interface PairedWords {
  readonly pairs: readonly (readonly [RecordedWords, RecordedWords])[]
  readonly gone: Told
  readonly added: Told
}

// Hooks of parallel calls speak in any order, so equal words are found first.
function pairWords(recorded: Told, now: Told): PairedWords {
  const left = [...now]
  const take = (isIt: (words: RecordedWords) => boolean): RecordedWords | undefined => {
    const index = left.findIndex(isIt)
    return index < 0 ? undefined : left.splice(index, 1)[0]
  }
  const pairs: (readonly [RecordedWords, RecordedWords])[] = []
  const others = recorded.filter((words) => {
    const same = take((one) => groupOf(one) === groupOf(words) && compareLines(words, one) === null)
    if (same !== undefined) pairs.push([words, same])
    return same === undefined
  })
  const gone = others.filter((words) => {
    const other = take((one) => groupOf(one) === groupOf(words))
    if (other !== undefined) pairs.push([words, other])
    return other === undefined
  })
  return { pairs, gone, added: left }
}

function groupOf({ event, tool, what }: RecordedWords): string {
  return JSON.stringify([event, tool, what])
}
