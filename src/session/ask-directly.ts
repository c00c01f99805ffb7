import type { DirectEngine, DirectQuestion } from '../engines/engine.ts'
import type { StreamSummary } from '../engines/stream.ts'
import type { FoundEngine } from '../engines/find.ts'
import { NO_FACTS, message, notice } from '../engines/stream.ts'
import type { ModelReply } from '../gateway/clients/model-call.ts'
import type { AcquiredLease } from '../gateway/control/client.ts'
import { findWire } from '../gateway/wires/wires.ts'
import { NO_PROCESS } from '../sandbox/run.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import { isRecorded, type AgentRequest } from './agent-request.ts'
import type { SessionEnd } from './session-end.ts'

/** Runs a case on an engine without a program: asks the API once. */
export async function askDirectly(
  request: Omit<AgentRequest, 'engine'> & { readonly engine: FoundEngine<DirectEngine> },
  lease: AcquiredLease,
): Promise<SessionEnd> {
  const { engine } = request.engine
  const question = engine.question({ ...request.evalCase, package: request.package })
  const deadline = AbortSignal.timeout(request.deadlineMs)
  const called = AbortSignal.any([request.signal, lease.signal])
  const startedAt = performance.now()
  const reply = await ask(request, question, lease, AbortSignal.any([called, deadline]))
  const { kind } = reply
  const durationMs = performance.now() - startedAt
  const { meter, conversation } = await lease.finish()
  return {
    result: {
      ...NO_PROCESS,
      exitCode: kind === 'text' ? 0 : null,
      timedOut: deadline.aborted && kind !== 'text',
      aborted: called.aborted,
      durationMs,
    },
    stream: eventsOf(question, reply),
    summary: summarize(reply),
    meter,
    conversation: isRecorded(request.source) ? conversation : null,
    stopped: false,
  }
}

async function ask(
  { model, engine }: { readonly model: string | null; readonly engine: FoundEngine<DirectEngine> },
  { system, user }: DirectQuestion,
  { grant }: AcquiredLease,
  signal: AbortSignal,
): Promise<Reply> {
  const call = { model: model ?? '', system, user, maxTokens: MOST_TOKENS, temperature: null, schema: null }
  try {
    return await findWire(engine.engine.wire).ask(grant, call, signal)
  } catch (error) {
    // An unexpected error is a crash of the run, and keeps its stack trace.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { kind: 'crashed', problem: text }
  }
}

type Reply = ModelReply | { readonly kind: 'crashed'; readonly problem: string }

/** The most that the API answers in one piece. */
const MOST_TOKENS = 16_384

function eventsOf({ shown }: DirectQuestion, reply: Reply): readonly UnnumberedEvent[] {
  const told = shown.length === 0 ? '' : `The model was shown: ${shown.join(', ')}`
  return [...notice(told), ...message(reply.kind === 'text' ? reply.text : '')]
}

function summarize(reply: Reply): StreamSummary {
  const text = reply.kind === 'text' ? reply.text : ''
  return { ...endingOf(reply), ...NO_FACTS, output: text, finalMessage: text }
}

function endingOf(reply: Reply): Pick<StreamSummary, 'problem' | 'status'> {
  if (reply.kind !== 'text')
    return { status: reply.kind === 'crashed' ? 'crashed' : 'api-error', problem: reply.problem }
  if (reply.stop !== 'max-tokens') return { status: 'completed', problem: null }
  // Not a constant: the first number that is formatted loads a locale, and each worker would load it for nothing.
  return { status: 'limit-reached', problem: `The answer was cut off at ${MOST_TOKENS.toLocaleString('en')} tokens.` }
}
