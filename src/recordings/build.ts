import { sha256 } from '../lib/sha256.ts'
import {
  withoutReminders,
  type Conversation,
  type ObservedResult,
  type ObservedThread,
  type TurnKey,
} from './conversation.ts'
import type { AnswerBlock, ResultForm } from './messages.ts'
import type { RecordedLines, RecordedResult, RecordedThread, RecordedTurn, Recording } from './recording.ts'
import { findVisibleTexts, newVisibleTexts, type PackageTexts, type VisibleTexts } from './visible-texts.ts'

/** What is known of a run besides its conversation. */
export type RecordingFacts = Omit<Recording, 'judge' | 'lanes' | 'version'>

/**
 * Makes a recording of what a run asked and was answered. `volatile` are words of this day and machine: what holds one
 * is no measure for another day.
 */
export function buildRecording(
  facts: RecordingFacts,
  conversation: Conversation,
  ours: PackageTexts,
  volatile: readonly string[],
  form: ResultForm,
): Recording {
  const visible = findVisibleTexts(conversation, ours)
  const threads = conversation.threads.map((thread) => recordThread(thread, visible.get(thread) ?? [], volatile, form))
  return { version: 1, ...facts, lanes: threads.filter(({ turns }) => turns.length > 0), judge: null }
}

/** The recording with the lines marked that a second run of the same answers gave differently. */
export function withUnstableLines(recording: Recording, again: Conversation, form: ResultForm): Recording {
  const threads = recording.lanes.map((thread, index) => {
    const observed = again.threads.find((one) => sameThread(recording.lanes, index, again.threads, one))
    const tools = toolsOf(thread.turns)
    const results = new Map(
      observed?.turns.flatMap((turn) =>
        turn.results.map((result) => [result.id, recordResult(result, tools.get(result.id) ?? null, form)]),
      ),
    )
    const mark = (result: RecordedResult): RecordedResult => {
      const second = results.get(result.id)
      return second === undefined ? result : markUnstable(result, second)
    }
    return { ...thread, turns: thread.turns.map((turn) => ({ ...turn, results: turn.results.map(mark) })) }
  })
  return { ...recording, lanes: threads }
}

// A request that was refused and sent again otherwise has no answer; what came with it is part of the next one.
function recordThread(
  { thread, given, turns }: ObservedThread,
  visible: readonly VisibleTexts[],
  volatile: readonly string[],
  form: ResultForm,
): RecordedThread {
  const tools = toolsOf(turns)
  const recorded: RecordedTurn[] = []
  let results: RecordedResult[] = []
  let before: VisibleTexts | undefined
  for (const [index, turn] of turns.entries()) {
    results.push(
      ...turn.results.map((result) => markVolatile(recordResult(result, tools.get(result.id) ?? null, form), volatile)),
    )
    if (turn.answer === null) continue
    const { content, stopReason, usage } = turn.answer
    const now = visible[index] ?? new Map()
    recorded.push({ sees: newVisibleTexts(now, before), results, answer: { content, stopReason, usage } })
    results = []
    before = now
  }
  return { lane: thread, given, turns: recorded }
}

/** Marks the lines of a result that the same run, made again at once, gave differently. */
export function markUnstable<Lines extends RecordedLines>(result: Lines, again: RecordedLines): Lines {
  const rest = result.rest === again.rest ? result.rest : null
  if (result.lines.length === again.lines.length) {
    const unstable = result.lines.flatMap((line, index) => (line === again.lines[index] ? [] : [index + 1]))
    return { ...result, rest, unstable: union(result.unstable, unstable) }
  }
  const common = commonLines(result.lines, again.lines)
  const unstable = result.lines.flatMap((_, index) => (common.has(index) ? [] : [index + 1]))
  return { ...result, rest, unstable: union(result.unstable, unstable), varies: true }
}

/** Marks the lines that hold a word of their day or machine, which no second run on the same day can show. */
export function markVolatile<Lines extends RecordedLines>(result: Lines, words: readonly string[]): Lines {
  const isVolatile = (line: string): boolean => words.some((word) => word !== '' && line.includes(word))
  const unstable = result.lines.flatMap((line, index) => (isVolatile(line) ? [index + 1] : []))
  return { ...result, unstable: union(result.unstable, unstable) }
}

/** The day in the ways that programs print it. */
export function dayWords(now: Date): readonly string[] {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const name = MONTHS[month] ?? ''
  const iso = now.toISOString().slice(0, 10)
  const two = String(day).padStart(2, '0')
  return [
    iso,
    iso.replaceAll('-', '/'),
    iso.replaceAll('-', ''),
    `${name} ${day}, ${year}`,
    `${name} ${two} `,
    `${name} ${String(day).padStart(2)} `,
    `${two} ${name} ${year}`,
    `${day} ${name} ${year}`,
  ]
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function union(left: readonly number[], right: readonly number[]): readonly number[] {
  return [...new Set([...left, ...right])].toSorted((a, b) => a - b)
}

/** Indexes in `left` of a longest common subsequence. */
function commonLines(left: readonly string[], right: readonly string[]): ReadonlySet<number> {
  const lengths = left.map(() => Array.from<number>({ length: right.length + 1 }).fill(0))
  lengths.push(Array.from<number>({ length: right.length + 1 }).fill(0))
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0
  for (let row = left.length - 1; row >= 0; row -= 1)
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const length =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
      lengths[row]?.splice(column, 1, length)
    }
  const common = new Set<number>()
  for (let row = 0, column = 0; row < left.length && column < right.length;) {
    if (left[row] === right[column]) {
      common.add(row)
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return common
}

/** What a recording keeps of a tool's result. What the engine adds to it in reminders is none of the tool's. */
export function recordResult(
  { id, text, isError }: ObservedResult,
  tool: string | null,
  form: ResultForm,
): RecordedResult {
  return { id, isError, ...recordLines(text, tool, form) }
}

/** What a recording keeps of a text. */
export function recordLines(text: string, tool: string | null, form: ResultForm): RecordedLines {
  const plain = withoutReminders(text)
    .trimEnd()
    .split('\n')
    .map((line) => form(line, tool))
    .join('\n')
  const kept = plain.length <= KEPT ? plain : plain.slice(0, cutOf(plain))
  const rest = plain.slice(kept.length)
  return {
    lines: kept === '' ? [] : kept.replace(/\n$/, '').split('\n'),
    rest: rest === '' ? null : sha256(rest, 12),
    unstable: [],
    varies: false,
  }
}

/** Names of the called tools by the id of the call. */
function toolsOf(turns: readonly Turn[]): ReadonlyMap<string, string> {
  const blocks = turns.flatMap(({ answer }) => answer?.content ?? [])
  return new Map(blocks.flatMap((block) => (block.kind === 'tool-call' ? [[block.id, block.name] as const] : [])))
}

interface Turn {
  readonly answer: { readonly content: readonly AnswerBlock[] } | null
}

/** Characters of a result that are kept. */
const KEPT = 2048

// After a whole line, unless the first is longer than that.
function cutOf(text: string): number {
  const end = text.lastIndexOf('\n', KEPT - 1)
  return end <= 0 ? KEPT : end + 1
}

/** Whether a thread of a run is the one at this place of a recording: same kind, same prompt, the same one of these. */
export function sameThread<Other extends Pick<TurnKey, 'thread' | 'given'>>(
  recorded: readonly Pick<RecordedThread, 'lane' | 'given'>[],
  index: number,
  others: readonly Other[],
  other: Other,
): boolean {
  const one = recorded[index]
  if (one === undefined || one.lane !== other.thread || one.given !== other.given) return false
  const earlier = recorded.slice(0, index).filter(({ lane, given }) => lane === one.lane && given === one.given)
  const before = others.slice(0, others.indexOf(other))
  return earlier.length === before.filter(({ thread, given }) => thread === one.lane && given === one.given).length
}

/** Says which recorded answers a finished replay never asked for. What an engine asks for itself may differ by version. */
export function findUnusedAnswers({ lanes: threads }: Recording, observed: Conversation): readonly string[] {
  return threads.flatMap((thread, index) => {
    const requests =
      observed.threads.find((one) => sameThread(threads, index, observed.threads, one))?.turns.length ?? 0
    if (thread.lane.startsWith('side:') || requests >= thread.turns.length) return []
    const who =
      thread.given === null ? 'the main thread' : `a sub-agent given ${JSON.stringify(thread.given.slice(0, 200))}`
    return [`${who} sent ${requests} of its ${thread.turns.length} requests and ended.`]
  })
}
