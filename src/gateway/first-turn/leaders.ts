import { upstreamKind, type LeaseRequest } from '../leases/lease.ts'
import { createQueue } from '../pace.ts'
import { cachedPart, type CachedRequest } from './first-turn.ts'

/** Lets a request wait until another one has filled the prompt cache that both read. */
export type Follow = (request: () => CachedRequest, signal: AbortSignal) => Promise<Lead>

/** Lets one request per prompt prefix go first, so that the others read the cache of the API. */
interface Leaders {
  /** Waits for the lease of a probe, whose request is known before. */
  enter(request: LeaseRequest, signal: AbortSignal): Promise<Lead>
  /** How the requests of a lease wait; the first one of a probe has waited with its lease. */
  followOf(request: LeaseRequest, first: Lead): Follow
}

/** `slots` is how many sessions ask at once. */
export function createLeaders(slots: number): Leaders {
  const leaders = new Map<string, Leader>()
  const leaderOf = (cached: string): Leader => {
    const leader = leaders.get(cached) ?? createLeader(slots)
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
      let pending = cached === undefined ? null : first
      return async (request, signal) => {
        const lead = pending
        pending = null
        if (lead !== null) return lead
        return leaderOf(cachedPart(request())).enter(signal)
      }
    },
  }
}

/** One that goes first, or may follow. */
export interface Lead {
  /** Notes that its answer begins. */
  readonly begun: () => void
  /** Notes that there is no more to come. */
  readonly over: () => void
}

/** For a request that no other waits for. */
export const NO_LEAD: Lead = { begun: () => {}, over: () => {} }

/** Lets one go first: what it leaves in a cache is there for the others. */
export interface Leader {
  /**
   * Resolves at once while the cache is filled; else for one at a time, or for as many as sessions would be where the API
   * takes long. `begun` is called when the answer begins, `over` in any case.
   */
  enter(signal: AbortSignal): Promise<Lead>
}

/** `slots` is how many sessions would ask at once without it. */
export function createLeader(slots: number, now: () => number = () => performance.now()): Leader {
  let filledUntil = Number.NEGATIVE_INFINITY
  let leading = 0
  let allowed = 1
  const mayGo = (): boolean => now() < filledUntil || leading < allowed
  const admit = (): void => {
    while (line.length > 0 && mayGo()) line.admitNext(lead())
  }
  const line = createQueue<Lead>(admit)
  const lead = (): Lead => {
    let leads = now() >= filledUntil
    if (leads) leading += 1
    // An API that hangs must not make one wait for the other.
    const patience = leads ? setTimeout(() => allow(slots), PATIENCE_MS).unref() : undefined
    const over = (): void => {
      clearTimeout(patience)
      if (!leads) return
      leads = false
      leading -= 1
      admit()
    }
    return {
      over,
      begun() {
        filledUntil = now() + CACHE_MS
        allowed = 1
        over()
      },
    }
  }
  const allow = (number: number): void => {
    allowed = number
    admit()
  }
  return { enter: (signal) => line.join(signal, null) }
}

const PATIENCE_MS = 30_000
/** An API keeps what was read for five minutes; each answer that begins counts anew. */
const CACHE_MS = 4 * 60_000

/** Something that the main process makes ahead of time, by the name under which its workers ask for it. */
export interface PreparedValue {
  readonly name: string
  readonly value: Promise<object>
  /** Resolves when nothing that it has started is left; never rejects. */
  readonly over: Promise<void>
}

/** What the main process has prepared for its workers. */
export interface Prepared {
  /** Adds what is being prepared; it may turn out to be nothing. */
  add(making: Promise<PreparedValue | null>): void
  /** Waits for what is being prepared; `null` where none has this name, or it failed. */
  find(name: string): Promise<object | null>
  /** Resolves when nothing that was started for it is left. */
  over(): Promise<void>
}

export function createPrepared(): Prepared {
  const all: Promise<PreparedValue | null>[] = []
  return {
    add(making) {
      all.push(making.catch(() => null))
      // A watching Vitest adds one in each pass: what was before the last one has ended.
      if (all.length > 2) void all.shift()
    },
    async find(name) {
      for (const making of all) {
        const made = await making
        if (made?.name === name) return made.value.catch(() => null)
      }
      return null
    },
    async over() {
      for (const making of all) await (await making)?.over
    },
  }
}
