import { sha256 } from '../../lib/sha256.ts'
import { createListener, type TurnKey } from '../../recordings/conversation.ts'
import { markResumed, type EngineTraffic, type ModelAnswer, type ModelRequest } from '../../recordings/messages.ts'
import type { AnswerSource, AnsweredThread, ReplaySource } from '../leases/lease.ts'
import type { LeaseSource } from '../leases/leases.ts'
import { createScenarioSource } from './scenario.ts'
import { describeLastMessage, emptyAnswer, withVolatileIds, type Source, type SourceAnswer } from './source.ts'

/** Answers from a recording: by thread and ordinal, whatever the engine's version writes into its requests. */
export function createReplaySource({ threads, model }: ReplaySource, traffic: readonly EngineTraffic[] = []): Source {
  const listener = createListener(() => Date.now())
  return {
    kind: 'answers',
    conversation: listener.conversation,
    listen: listener.ask,
    answer(request, asked = listener.ask(request)) {
      const { key, answered } = asked
      const turn = answeredThread(threads, key)?.turns[key.turn]
      const nothing = emptyAnswer(request, model)
      if (turn === undefined && nothing !== null) return { kind: 'answer', answer: nothing }
      if (turn === undefined) {
        const missing = describeMissing(threads, key, request)
        listener.unanswered(missing)
        return refuse(missing)
      }
      const content = withVolatileIds(turn.content, request, traffic)
      const id = `msg_${hash(JSON.stringify(key) + markResumed(request, key.turn))}`
      const answer: ModelAnswer = { id, model, ...turn, content }
      answered(answer)
      return { kind: 'answer', answer }
    },
  }
}

function answeredThread(
  threads: readonly AnsweredThread[],
  { thread, given, slot }: TurnKey,
): AnsweredThread | undefined {
  return threads.filter((one) => one.thread === thread && one.given === given)[slot]
}

function describeMissing(threads: readonly AnsweredThread[], key: TurnKey, request: ModelRequest): string {
  const thread = answeredThread(threads, key)
  const who =
    key.thread === 'main'
      ? 'the main thread'
      : key.thread === 'agent'
        ? `a sub-agent given ${JSON.stringify((key.given ?? '').slice(0, 200))}`
        : `the engine itself (${key.thread.slice('side:'.length)})`
  const holds = thread === undefined ? 'nothing of it' : `${thread.turns.length} of its requests`
  return `${who} sent request ${key.turn + 1}, and the recording contains ${holds}. ${describeLastMessage(request)}`
}

/** Of all errors, CLIs give up at once on this one. */
function refuse(missing: string): SourceAnswer {
  const message = `The recording does not contain a request: ${missing}`
  return {
    kind: 'failure',
    failure: { status: 403, type: null, message, retryAfter: null, retry: false },
    refusal: { problem: { code: 'recording-incompatible', message }, final: true },
  }
}

function hash(text: string): string {
  return sha256(text, 24)
}

/** Plays a recording or a scenario; `null` where a model is asked. */
export function createPlayedSource(source: AnswerSource, traffic: readonly EngineTraffic[]): LeaseSource | null {
  if (source.kind === 'replay') return { source: createReplaySource(source, traffic), credential: source.credential }
  // The same kind on every machine, so that a scenario sees the same CLI everywhere.
  if (source.kind === 'scenario')
    return { source: createScenarioSource(source.scenario, traffic), credential: 'api-key' }
  return null
}

/** Keeps what an upstream is asked and answers. */
export function createRecordSource(upstream: Source): Source {
  const { ask, conversation } = createListener(() => Date.now())
  if (upstream.kind === 'forwards') return { ...upstream, conversation, listen: ask }
  return {
    ...upstream,
    conversation,
    listen: ask,
    answer(request, asked = ask(request)) {
      const reply = upstream.answer(request)
      if (reply.kind === 'answer') asked.answered(reply.answer)
      return reply
    },
  }
}
