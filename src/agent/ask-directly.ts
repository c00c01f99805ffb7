import { summaryOf } from '../engines/stream/read-lines.ts'
import { NO_PROCESS } from '../sandbox/run.ts'
import type { DirectEngine, StreamSummary } from '../engines/engine.ts'
import type { DirectQuestion } from '../engines/direct-question.ts'
import type { FoundEngine } from '../engines/find/find.ts'
import type { AcquiredLease } from '../gateway/control/client.ts'
import type { ModelReply } from '../gateway/clients/model-call.ts'
import type { RunStatus } from '../transcript/agent-run.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import type { SessionEnd } from './build-agent-run.ts'
import type { AgentRequest } from './agent-request.ts'

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
  const source = request.source.kind
  return {
    result: {
      ...NO_PROCESS,
      exitCode: kind === 'text' ? 0 : null,
      timedOut: deadline.aborted && kind !== 'text',
      aborted: called.aborted,
      durationMs: performance.now() - startedAt,
    },
    events: eventsOf(question, reply),
    summary: summarize(reply),
    meter: await lease.meter(),
    conversation: source === 'record' || source === 'replay' ? await lease.conversation() : null,
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
    const { findWire } = await import('../gateway/wires/wires.ts')
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
  const shownNotice: UnnumberedEvent = { kind: 'notice', agent: null, text: `The model was shown: ${shown.join(', ')}` }
  const answered: readonly UnnumberedEvent[] =
    reply.kind === 'text' && reply.text !== '' ? [{ kind: 'message', agent: null, text: reply.text }] : []
  return [...(shown.length === 0 ? [] : [shownNotice]), ...answered]
}

function summarize(reply: Reply): StreamSummary {
  const text = reply.kind === 'text' ? reply.text : ''
  const isCut = reply.kind === 'text' && reply.stop === 'max-tokens'
  return {
    status: statusOf(reply),
    problem: reply.kind === 'text' ? (isCut ? describeCut() : null) : reply.problem,
    ...summaryOf(text === '' ? [] : [text]),
  }
}

function statusOf(reply: Reply): RunStatus {
  if (reply.kind === 'crashed') return 'crashed'
  if (reply.kind === 'failed') return 'api-error'
  return reply.stop === 'max-tokens' ? 'limit-reached' : 'completed'
}

// Not a constant: the first number that is formatted loads a locale, and each worker would load it for nothing.
function describeCut(): string {
  return `The answer was cut off at ${MOST_TOKENS.toLocaleString('en')} tokens.`
}
