import { createQueue } from '../pace/queue.ts'

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

/** `places` is how many sessions would ask at once without it. */
export function createLeader(places: number, now: () => number = () => performance.now()): Leader {
  let filledUntil = Number.NEGATIVE_INFINITY
  let leading = 0
  let allowed = 1
  const mayGo = (): boolean => now() < filledUntil || leading < allowed
  const admit = (): void => {
    while (line.length > 0 && mayGo()) line.call(lead())
  }
  const line = createQueue<Lead>(admit)
  const lead = (): Lead => {
    let leads = now() >= filledUntil
    if (leads) leading += 1
    // An API that hangs must not make one wait for the other.
    const patience = leads ? setTimeout(() => allow(places), PATIENCE_MS).unref() : undefined
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
  return { enter: (signal) => line.join(signal) }
}

const PATIENCE_MS = 30_000
/** An API keeps what was read for five minutes; each answer that begins counts anew. */
const CACHE_MS = 4 * 60_000
