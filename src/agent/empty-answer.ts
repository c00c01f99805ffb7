import { saysNothing } from '../transcript/no-output.ts'
import type { StreamSummary } from '../engines/engine.ts'
import type { RecordedDecision } from '../engines/hooks/hook-plan.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ModelAnswer } from '../conversation/model.ts'
import type { MeterReading } from '../gateway/leases/lease.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import type { AgentRequest } from './agent-request.ts'

/** What shows whether a model has answered. */
export interface AnswerEvidence {
  readonly request: Pick<AgentRequest, 'endsWith' | 'source'>
  readonly events: readonly UnnumberedEvent[]
  readonly summary: Pick<StreamSummary, 'output'>
  readonly meter: Pick<MeterReading, 'requests'>
  readonly conversation: Conversation | null
  readonly decisions: readonly Pick<RecordedDecision, 'decision'>[]
}

/**
 * Why a session that its CLI calls completed did not complete: empty answers are known from broken APIs. `null` when the
 * model answered, or when a hook refused the prompt.
 */
export function describeEmptyAnswer(evidence: AnswerEvidence): string | null {
  const { request, events, decisions } = evidence
  const again = request.source.kind === 'replay' ? 'Record the case again.' : 'Run the case again.'
  // What such a run did not do before its last answer decides it, so that answer must be one.
  if (request.endsWith !== undefined)
    return isLastAnswerEmpty(evidence) ? `The last answer of the model was empty. ${again}` : null
  const isRefused = wasNotAsked(evidence) || decisions.some(({ decision }) => decision !== 'allowed')
  if (isRefused || !saysNothing(evidence.summary.output) || events.some(isCall)) return null
  return `The model gave an empty answer and called no tool. ${again}`
}

function isLastAnswerEmpty(evidence: AnswerEvidence): boolean {
  const { events, summary, conversation } = evidence
  const main = conversation?.threads.findLast(({ thread }) => thread === 'main')
  const turn = main?.turns.at(-1)
  if (turn !== undefined) return turn.answer !== null && isEmpty(turn.answer)
  // An engine whose requests are not observed shows its calls and messages in order.
  const last = events.findLastIndex((event) => event.agent === null && (isCall(event) || event.kind === 'tool-result'))
  if (last < 0) return !wasNotAsked(evidence) && saysNothing(summary.output)
  return !events
    .slice(last)
    .some((event) => event.kind === 'message' && event.agent === null && !saysNothing(event.text))
}

function isEmpty({ content }: Pick<ModelAnswer, 'content'>): boolean {
  return content.every((block) => block.kind === 'thinking' || (block.kind === 'text' && saysNothing(block.text)))
}

function wasNotAsked({ meter }: Pick<AnswerEvidence, 'meter'>): boolean {
  return meter.requests === 0
}

function isCall({ kind }: UnnumberedEvent): boolean {
  return kind === 'tool-call'
}
