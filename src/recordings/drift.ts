import { isJsonObject } from '../lib/json.ts'
import { firstOf } from '../lib/lists.ts'
import { shorten } from '../lib/text.ts'
import { recordResult, sameThread } from './build.ts'
import type { Conversation, ObservedResult, ObservedThread } from './conversation.ts'
import { compareLines, type LineDifference } from './kept-lines.ts'
import type { AnswerBlock, ResultForm } from './messages.ts'
import type { RecordedResult, RecordedThread, Recording } from './recording.ts'

/** A tool result that is not what the recorded model was answering to, or a hook that does something else. */
export interface Drift extends LineDifference {
  /** The call or hook, as a person recognises it. */
  readonly call: string
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

/** How a result differs from the recorded one; `null` when it does not. */
function compare(
  { name }: Call,
  before: RecordedResult,
  observed: ObservedResult,
  flagOnly: boolean,
  form: ResultForm,
): LineDifference | null {
  const after = recordResult(observed, name, form)
  if (before.isError !== after.isError) return { line: null, recorded: flagged(before), now: flagged(after) }
  // A recording of another release may hold its lines in another form.
  return flagOnly ? null : compareLines({ ...before, lines: before.lines.map((line) => form(line, name)) }, after)
}

function flagged({ isError, lines }: RecordedResult): string {
  return `${isError ? 'an error' : 'no error'}: ${shownLines(lines)}`
}

/** Lines for a message. */
export function shownLines(lines: readonly string[]): string {
  return lines.length === 0 ? 'nothing' : shorten(lines.join('\n'), SHOWN)
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
