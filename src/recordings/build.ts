import type { Conversation, ObservedResult, ObservedThread, TurnKey } from './conversation.ts'
import { markUnstable, markVolatile, recordLines } from './kept-lines.ts'
import type { AnswerBlock, ResultForm } from './messages.ts'
import type { RecordedResult, RecordedText, RecordedThread, RecordedTurn, Recording } from './recording.ts'
import { findVisibleTexts, type PackageTexts } from './visible-texts.ts'

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
  return { version: 2, ...facts, lanes: threads.filter(({ turns }) => turns.length > 0), judge: null }
}

// A request that was refused and sent again otherwise has no answer; what came with it is part of the next one.
function recordThread(
  { thread, given, turns }: ObservedThread,
  visible: readonly (readonly RecordedText[])[],
  volatile: readonly string[],
  form: ResultForm,
): RecordedThread {
  const tools = toolsOf(turns)
  const recorded: RecordedTurn[] = []
  let results: RecordedResult[] = []
  let sees: RecordedText[] = []
  for (const [index, turn] of turns.entries()) {
    sees.push(...(visible[index] ?? []))
    results.push(
      ...turn.results.map((result) => markVolatile(recordResult(result, tools.get(result.id), form), volatile)),
    )
    if (turn.answer === null) continue
    const { content, stopReason, usage } = turn.answer
    recorded.push({ sees, results, answer: { content, stopReason, usage } })
    results = []
    sees = []
  }
  return { lane: thread, given, turns: recorded }
}

/** The recording with the lines marked that a second run of the same answers gave differently. */
export function withUnstableLines(recording: Recording, again: Conversation, form: ResultForm): Recording {
  const lanes = recording.lanes.map((thread, index) => {
    const observed = again.threads.find((one) => sameThread(recording.lanes, index, again.threads, one))
    const tools = toolsOf(thread.turns)
    const second = new Map(observed?.turns.flatMap(({ results }) => results.map((result) => [result.id, result])))
    const mark = (result: RecordedResult): RecordedResult => {
      const other = second.get(result.id)
      return other === undefined ? result : markUnstable(result, recordResult(other, tools.get(result.id), form))
    }
    return { ...thread, turns: thread.turns.map((turn) => ({ ...turn, results: turn.results.map(mark) })) }
  })
  return { ...recording, lanes }
}

/** What a recording keeps of a tool's result. */
export function recordResult(
  { id, text, isError }: ObservedResult,
  tool: string | undefined,
  form: ResultForm,
): RecordedResult {
  return { id, isError, ...recordLines(text, tool ?? null, form) }
}

/** Names of the called tools by the id of the call. */
function toolsOf(turns: readonly Turn[]): ReadonlyMap<string, string> {
  const blocks = turns.flatMap(({ answer }) => answer?.content ?? [])
  return new Map(blocks.flatMap((block) => (block.kind === 'tool-call' ? [[block.id, block.name] as const] : [])))
}

interface Turn {
  readonly answer: { readonly content: readonly AnswerBlock[] } | null
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
