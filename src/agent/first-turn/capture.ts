import { acquireLease } from '../../gateway/control/client.ts'
import { runAgent } from '../run-agent.ts'
import type { AcquiredLease } from '../../gateway/control/client.ts'
import type { FirstRequest } from '../../gateway/first-turn/first-request.ts'
import type { LeaseRequest } from '../../gateway/leases/lease.ts'
import type { AgentRequest } from '../agent-request.ts'

/** The first request of a session that was started only to see it: no model was asked. */
export interface CapturedStart {
  readonly request: FirstRequest
  /** What its session asked the gateway for. */
  readonly asked: LeaseRequest
  /** Resolves when nothing of its session is left; never rejects. */
  readonly over: Promise<void>
}

/**
 * Starts a session, keeps its first request and ends it. Resolves at the request: the session ends behind it. `onStart` is
 * called when its program starts.
 */
export function captureStart(
  request: AgentRequest,
  prompt: string,
  onStart: () => void = () => {},
): Promise<CapturedStart | { readonly problem: string }> {
  const { collect: _collect, onStart: _onStart, handOver: _handOver, endsWith: _endsWith, ...rest } = request
  const seen = new AbortController()
  return new Promise((resolve, reject) => {
    const openLease = async (wanted: LeaseRequest): Promise<AcquiredLease> => {
      const held = { ...wanted, firstTurn: 'hold' as const }
      const lease = await acquireLease(request.controlSocket, held, request.signal)
      const take = (found: FirstRequest | null): void => {
        // Its session ends without a request, and says why.
        if (found === null) return
        seen.abort()
        if (found.thread === 'main') resolve({ request: found, asked: wanted, over })
        else resolve({ problem: `a session first sent a request of its own (${found.thread})` })
      }
      void lease.firstRequest().then(take, () => {})
      return lease
    }
    const signal = AbortSignal.any([request.signal, seen.signal])
    const session = runAgent({ ...rest, evalCase: { ...request.evalCase, prompt }, signal, openLease, onStart })
    const over = session.then(({ run }) => {
      if (request.signal.aborted) reject(request.signal.reason as Error)
      else resolve({ problem: `a session sent no request: ${run.problem ?? run.status}` })
    }, reject)
  })
}
