import { findVisibleTexts, newVisibleTexts } from './visible-texts.ts'
import { markUnstable, markVolatile } from './unstable-lines.ts'
import { recordResult, toolsOf } from './result-lines.ts'
import { sameThread } from './same-thread.ts'
import type { Conversation, ObservedThread } from '../conversation/conversation.ts'
import type { PackageTexts, VisibleTexts } from './visible-texts.ts'
import type { RecordedThread, RecordedResult, RecordedTurn, Recording } from './recording.ts'
import type { ResultForm } from './result-form.ts'

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
