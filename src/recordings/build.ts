import { lookForTexts, newSights } from './visible-texts.ts'
import { markUnstable, markVolatile } from './unstable-lines.ts'
import { recordResult, toolsOf } from './result-lines.ts'
import { sameLane } from './same-thread.ts'
import type { Conversation, HeardLane } from '../conversation/conversation.ts'
import type { OurTexts, Sights } from './visible-texts.ts'
import type { RecordedLane, RecordedResult, RecordedTurn, Recording } from './recording.ts'
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
  ours: OurTexts,
  volatile: readonly string[],
  form: ResultForm,
): Recording {
  const sights = lookForTexts(conversation, ours)
  const lanes = conversation.lanes.map((lane) => recordLane(lane, sights.get(lane) ?? [], volatile, form))
  return { version: 1, ...facts, lanes: lanes.filter(({ turns }) => turns.length > 0), judge: null }
}

/** The recording with the lines marked that a second run of the same answers gave differently. */
export function withUnstableLines(recording: Recording, again: Conversation, form: ResultForm): Recording {
  const lanes = recording.lanes.map((lane, index) => {
    const heard = again.lanes.find((one) => sameLane(recording.lanes, index, again.lanes, one))
    const tools = toolsOf(lane.turns)
    const results = new Map(
      heard?.turns.flatMap((turn) =>
        turn.results.map((result) => [result.id, recordResult(result, tools.get(result.id) ?? null, form)]),
      ),
    )
    const mark = (result: RecordedResult): RecordedResult => {
      const second = results.get(result.id)
      return second === undefined ? result : markUnstable(result, second)
    }
    return { ...lane, turns: lane.turns.map((turn) => ({ ...turn, results: turn.results.map(mark) })) }
  })
  return { ...recording, lanes }
}

// A request that was refused and sent again otherwise has no answer; what came with it belongs to the next one.
function recordLane(
  { lane, given, turns }: HeardLane,
  sights: readonly Sights[],
  volatile: readonly string[],
  form: ResultForm,
): RecordedLane {
  const tools = toolsOf(turns)
  const recorded: RecordedTurn[] = []
  let results: RecordedResult[] = []
  let before: Sights | undefined
  for (const [index, turn] of turns.entries()) {
    results.push(
      ...turn.results.map((result) => markVolatile(recordResult(result, tools.get(result.id) ?? null, form), volatile)),
    )
    if (turn.answer === null) continue
    const { content, stopReason, usage } = turn.answer
    const now = sights[index] ?? new Map()
    recorded.push({ sees: newSights(now, before), results, answer: { content, stopReason, usage } })
    results = []
    before = now
  }
  return { lane, given, turns: recorded }
}
