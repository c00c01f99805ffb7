import { acquireLease } from '../../gateway/client.ts'
import { runAgent } from '../run-agent.ts'
import type { AcquiredLease } from '../../gateway/client.ts'
import type { FirstRequest } from '../../gateway/first-request.ts'
import type { LeaseRequest } from '../../gateway/lease.ts'
import type { AgentRequest } from '../agent-request.ts'

/** The first request of a session that was started only to see it: no model was asked. */
export interface CapturedStart {
  readonly request: FirstRequest
  /** What its session asked the gateway for. */
  readonly asked: LeaseRequest
  /** Version that the CLI itself names. */
  readonly version: string | null
}

/** Starts a session, keeps its first request and ends it. */
export async function captureStart(
  request: AgentRequest,
  prompt: string,
): Promise<CapturedStart | { readonly problem: string }> {
  const { collect: _collect, onStart: _onStart, handOver: _handOver, endsAfter: _endsAfter, ...rest } = request
  const seen = new AbortController()
  let asked: LeaseRequest | undefined
  let first: Promise<FirstRequest | null> = Promise.resolve(null)
  const openLease = async (wanted: LeaseRequest): Promise<AcquiredLease> => {
    asked = wanted
    const lease = await acquireLease(request.controlSocket, { ...wanted, firstTurn: 'hold' }, request.signal)
    first = lease.firstRequest().catch(() => null)
    void first.then((found) => found !== null && seen.abort())
    return lease
  }
  const { run } = await runAgent({
    ...rest,
    evalCase: { ...request.evalCase, prompt },
    signal: AbortSignal.any([request.signal, seen.signal]),
    openLease,
  })
  request.signal.throwIfAborted()
  const found = await first
  if (found === null || asked === undefined)
    return { problem: `a session sent no request: ${run.problem ?? run.status}` }
  if (found.thread !== 'main') return { problem: `a session first sent a request of its own (${found.thread})` }
  return { request: found, asked, version: run.engineVersion }
}
