import { createQueue } from './queue.ts'

/** How fast one API may be asked: learnt from its refusals, and shared by all runs that ask it. */
export interface RateLimiter {
  /** Waits for its turn, in the order of asking. Rejects with the signal's reason when it aborts first. */
  enter(signal: AbortSignal): Promise<Turn>
  /** Its refusals since it took a request; `null` when there was none. */
  refusals(): Refusals | null
}

/** Requests that an API has refused one after the other. */
export interface Refusals {
  readonly times: number
  /** Milliseconds since the first. */
  readonly forMs: number
  /** The API's answer to the last. */
  readonly message: string
}

/** One request's turn. It ends with exactly one of `took`, `refused` and `passedBack`. */
export interface Turn {
  /** The API has begun to answer. */
  begun(): void
  /** The API took the request; called when its answer is over. */
  took(): void
  /** The API was asked too fast. No request is sent for `waitMs`; `null` where it gave no time. */
  refused(waitMs: number | null, message: string): void
  /** The answer is the engine's to handle and says nothing about the pace. */
  passedBack(): void
}

/**
 * Begins with a few requests at once, and takes many once the API has begun to answer one. The first refusal tells how many a second are taken:
 * from then on requests are spaced, a fifth slower than that, and a twentieth faster for every second without a refusal.
 */
export function createRateLimiter(now: () => number = () => performance.now()): RateLimiter {
  const taken: number[] = []
  let running = 0
  let atOnce = FIRST_AT_ONCE
  let perSecond = Infinity
  let nextAt = 0
  let changedAt = -Infinity
  let refusals = 0
  let inARow: { readonly times: number; readonly since: number; readonly message: string } | null = null
  let timer: NodeJS.Timeout | null = null

  const admit = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    while (line.length > 0 && running < atOnce) {
      const wait = nextAt - now()
      if (wait > 0) {
        timer = setTimeout(admit, wait)
        return
      }
      nextAt = Math.max(nextAt, now()) + 1000 / perSecond
      running += 1
      line.call(createTurn())
    }
  }

  const took = (): void => {
    refusals = 0
    inARow = null
    taken.push(now())
    while (taken.length > 0 && now() - taken[0]! > RATE_WINDOW_MS) taken.shift()
    if (perSecond !== Infinity && now() - changedAt > 1000) {
      perSecond *= FASTER
      changedAt = now()
    }
  }

  const refused = (startedAt: number, waitMs: number | null): void => {
    // Those that were under way at the last refusal tell nothing new.
    if (startedAt > changedAt) {
      const seconds = Math.max(1, (now() - (taken[0] ?? now())) / 1000)
      const observed = taken.length === 0 ? UNKNOWN : taken.length / seconds
      perSecond = Math.max(SLOWEST, SLOWER * Math.min(perSecond, observed))
      changedAt = now()
      refusals += 1
    }
    const backOff = Math.min(LONGEST_MS, 1000 * 2 ** (refusals - 1)) * (0.5 + Math.random() / 2)
    nextAt = Math.max(nextAt, now() + Math.min(waitMs ?? backOff, PATIENCE_MS))
  }

  const leave = (): void => {
    running -= 1
    admit()
  }

  const createTurn = (): Turn => {
    const startedAt = now()
    return {
      begun() {
        if (perSecond !== Infinity || atOnce === MOST_AT_ONCE) return
        atOnce = MOST_AT_ONCE
        admit()
      },
      took() {
        took()
        leave()
      },
      passedBack: leave,
      refused(waitMs, message) {
        inARow = { times: (inARow?.times ?? 0) + 1, since: inARow?.since ?? now(), message }
        refused(startedAt, waitMs)
        leave()
      },
    }
  }

  const line = createQueue<Turn>(admit)
  return {
    enter: (signal) => line.join(signal),
    refusals: () =>
      inARow === null ? null : { times: inARow.times, forMs: now() - inARow.since, message: inARow.message },
  }
}

/** Milliseconds that an API asks to wait for; `null` when it does not say, or says nothing that can be read. */
export function retryAfterMs(headers: Readonly<Record<string, string | string[] | undefined>>): number | null {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds)

  const given = headers['retry-after']
  if (typeof given !== 'string') return null
  const wait = /^\d+(?:\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : null
}

/** How long a request waits in all for an API that is asked too fast. */
export const PATIENCE_MS: number = 10 * 60_000
const FIRST_AT_ONCE = 8
const MOST_AT_ONCE = 64
const RATE_WINDOW_MS = 5000
const SLOWER = 0.8
const FASTER = 1.05
/** Requests a second, where the first of all was refused. */
const UNKNOWN = 2
const SLOWEST = 0.2
const LONGEST_MS = 60_000
