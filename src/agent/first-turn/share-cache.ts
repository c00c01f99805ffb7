import { acquireLease } from '../../gateway/control/client.ts'
import type { AgentRequest } from '../agent-request.ts'

/** A full session beside first turns: it waits for those that fill the prompt cache, so that it adds no cost. */
export function shareCache(request: AgentRequest): AgentRequest {
  const { controlSocket, signal } = request
  return {
    ...request,
    openLease: (wanted) => acquireLease(controlSocket, { ...wanted, sharesCache: true }, signal),
  }
}
