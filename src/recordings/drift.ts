import { recordResult } from './result-lines.ts'
import { sameThread } from './same-thread.ts'
import { isJsonObject } from '../json.ts'
import type { Conversation, ObservedThread, ObservedResult } from '../conversation/conversation.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import type { RecordedLines, RecordedThread, RecordedResult, Recording } from './recording.ts'
import type { ResultForm } from './result-form.ts'

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
export function describeDrift(recordedAt: string, drift: readonly Drift[], most: number = drift.length): string {
  const shown = drift.slice(0, most).map(({ call, line, recorded, now }) => {
    return `  ${call}${line === null ? '' : `, line ${line}`}\n    recorded: ${recorded}\n    now:      ${now}`
  })
  const more = drift.length > shown.length ? [`  and ${drift.length - shown.length} more`] : []
  return [`${BEGINNING} (${recordedAt.slice(0, 10)}):`, ...shown, ...more].join('\n')
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
      return [{ call: describeCall(call), line: null, recorded: shorten(before.lines), now: 'no result' }]
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
export function compareLines(before: RecordedLines, after: RecordedLines): Omit<Drift, 'call'> | null {
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
  return `${isError ? 'an error' : 'no error'}: ${shorten(lines)}`
}

export function shorten(lines: readonly string[]): string {
  const text = lines.join('\n')
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`
}

const SHOWN = 300

function describeCall({ name, input }: Call): string {
  const words = isJsonObject(input)
    ? (input['command'] ?? input['file_path'] ?? input['path'] ?? input['skill'])
    : undefined
  return typeof words === 'string' ? `${name} (${shorten([words.replaceAll('\n', ' ')])})` : name
}

function promptOf({ input }: Call): string {
  const prompt = isJsonObject(input) ? input['prompt'] : undefined
  return typeof prompt === 'string' ? prompt.trim() : ''
}
