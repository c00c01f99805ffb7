import type { ErrorCode } from '../lib/errors.ts'
import { sumOf } from '../lib/lists.ts'
import type { MeterReading } from './leases/lease.ts'
import { createQueue } from './pace.ts'

/** The time that an API has taken from a run. */
export interface Delay {
  readonly code: ErrorCode
  /** Goes on after "It did not end in time". */
  readonly clause: string
}

/** Tells how an API that fails, refuses or hangs has taken time from a run; `null` when it has not. */
export function findDelay({ problems, waits }: MeterReading): Delay | null {
  const seconds = Math.floor((waits?.ms ?? 0) / 1000)
  if (waits !== undefined && waits.refused !== null)
    return { code: 'upstream-failed', clause: `of which it waited ${seconds} s for the API: ${waits.refused}` }
  const failure = problems.find(({ code }) => code === 'upstream-failed' || code === 'out-of-credit')
  if (failure !== undefined) {
    const message = failure.message.replace(/\.$/, '')
    return { code: failure.code, clause: `and its last request was not answered: ${message}` }
  }
  if (waits === undefined || seconds === 0) return null
  return {
    code: 'upstream-failed',
    clause: `of which it waited ${seconds} s ${waits.for === 'start' ? "for the API's last answer to begin" : "for the rest of the API's last answer"}`,
  }
}

/** When one API may be asked: shared by all runs that ask it. */
export interface RateLimiter {
  /**
   * Waits for its turn; the session with the fewest requests under way goes first. Rejects with the signal's reason when it
   * aborts first.
   */
  enter(signal: AbortSignal, session: object): Promise<Turn>
  /** Its refusals since it took a request; `null` when there was none. */
  refusals(): Refusals | null
}

/** Requests that an API has refused one after the other. */
interface Refusals {
  readonly times: number
  /** Milliseconds since the first. */
  readonly forMs: number
  /** The API's answer to the last. */
  readonly message: string
}

/** One request's turn. It ends with exactly one of `took`, `refused` and `passedBack`. */
interface Turn {
  /** The API took the request; called when its answer is over. */
  took(): void
  /** The API was asked too fast. No request is sent for `waitMs`; `null` where it gave no time. */
  refused(waitMs: number | null, message: string): void
  /** The answer is the engine's to handle and says nothing about the pace. */
  passedBack(): void
}

/**
 * Makes a limiter: each refusal pauses the API for as long as it asks for, else twice as long as the refusal before, and
 * halves how many requests it gets at once; each request that it takes lets that number grow.
 */
export function createRateLimiter(now: () => number = () => performance.now()): RateLimiter {
  const running = new Map<object, number>()
  let pausedUntil = -Infinity
  let pausedAt = -Infinity
  let backOffMs = FIRST_BACK_OFF_MS
  let atOnce = FIRST_AT_ONCE
  let inARow: { readonly times: number; readonly since: number; readonly message: string } | null = null
  let timer: NodeJS.Timeout | null = null

  const admit = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    while (queue.length > 0 && sumOf(running.values(), (count) => count) < Math.floor(atOnce)) {
      const waitMs = pausedUntil - now()
      if (waitMs > 0) {
        timer = setTimeout(admit, waitMs)
        return
      }
      change(queue.admitNext(null) ?? queue, 1)
    }
  }
  const change = (session: object, by: number): void => {
    const count = (running.get(session) ?? 0) + by
    if (count === 0) running.delete(session)
    else running.set(session, count)
  }
  const queue = createQueue<null, object>(admit, (sessions) => {
    const counts = sessions.map((session) => running.get(session) ?? 0)
    return counts.indexOf(Math.min(...counts))
  })

  const pause = (startedAt: number, waitMs: number | null): void => {
    // Those that were under way at the last refusal tell nothing new.
    const isNew = startedAt > pausedAt
    if (isNew || waitMs !== null) {
      const askedMs = waitMs ?? backOffMs * (0.5 + Math.random() / 2)
      pausedUntil = Math.max(pausedUntil, now() + Math.min(askedMs, PATIENCE_MS))
    }
    if (isNew) {
      backOffMs = Math.min(LONGEST_BACK_OFF_MS, 2 * backOffMs)
      atOnce = Math.max(1, atOnce / 2)
    }
    pausedAt = now()
  }

  return {
    async enter(signal, session) {
      await queue.join(signal, session)
      const startedAt = now()
      const leave = (): void => {
        change(session, -1)
        admit()
      }
      return {
        took() {
          inARow = null
          backOffMs = FIRST_BACK_OFF_MS
          atOnce = Math.min(MOST_AT_ONCE, atOnce + 1 / atOnce)
          leave()
        },
        passedBack: leave,
        refused(waitMs, message) {
          inARow = { times: (inARow?.times ?? 0) + 1, since: inARow?.since ?? now(), message }
          pause(startedAt, waitMs)
          leave()
        },
      }
    },
    refusals: () =>
      inARow === null ? null : { times: inARow.times, forMs: now() - inARow.since, message: inARow.message },
  }
}

/** Milliseconds that an API asks to wait for; `null` when it does not say, or says nothing that can be read. */
export function retryAfterMs(headers: Readonly<Record<string, string | string[] | undefined>>): number | null {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds)

  const header = headers['retry-after']
  if (typeof header !== 'string') return null
  const wait = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : null
}

/** How long a request waits in all for an API that is asked too fast. */
export const PATIENCE_MS: number = 10 * 60_000
const FIRST_AT_ONCE = 32
const MOST_AT_ONCE = 64
const FIRST_BACK_OFF_MS = 1000
const LONGEST_BACK_OFF_MS = 60_000
