import { upstreamKind, type LeaseRequest } from '../leases/lease.ts'
import { cachedPart, type CachedRequest } from './first-request.ts'
import { createLeader, NO_LEAD, type Lead, type Leader } from './leader.ts'

/** Lets a request wait until another one has filled the prompt cache that both read. */
export type Follow = (request: () => CachedRequest, signal: AbortSignal) => Promise<Lead>

/** Who goes first of all whose requests begin the same. */
export interface Leaders {
  /** Waits for the lease of a probe, whose request is known before. */
  enter(asked: LeaseRequest, signal: AbortSignal): Promise<Lead>
  /** How the requests of a lease wait; the first one of a probe has waited with its lease. */
  followOf(asked: LeaseRequest, first: Lead): Follow
}

/** `places` is how many sessions ask at once. */
export function createLeaders(places: number): Leaders {
  const leaders = new Map<string, Leader>()
  const leaderOf = (cached: string): Leader => {
    const leader = leaders.get(cached) ?? createLeader(places)
    leaders.set(cached, leader)
    return leader
  }
  return {
    async enter({ cached, source }, signal) {
      if (cached === undefined || upstreamKind(source) !== 'live') return NO_LEAD
      return leaderOf(cached).enter(signal)
    },
    followOf({ cached, sharesCache }, first) {
      if (cached === undefined && sharesCache !== true) return () => Promise.resolve(NO_LEAD)
      let own = cached === undefined ? null : first
      const parts = new Set<string>()
      return async (request, signal) => {
        const lead = own
        own = null
        if (lead !== null) return lead
        const part = cachedPart(request())
        // A session could write another one into each of its requests, and each would be remembered.
        if (!parts.has(part) && parts.size === MAX_PARTS) return NO_LEAD
        parts.add(part)
        return leaderOf(part).enter(signal)
      }
    },
  }
}

/** The main thread of an engine, its sub-agents and what it asks by itself have a system prompt each. */
const MAX_PARTS = 20
