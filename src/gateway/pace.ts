import { setMaxListeners } from 'node:events'
import type { ErrorCode } from '../lib/errors.ts'
import type { MeterReading } from './leases/lease.ts'

/** How many may run at once; the others wait in the order they came, but for arms of one case, which run side by side. */
export interface Limit {
  /**
   * Resolves with how to give the slot back; rejects with the signal's reason when it aborts first.
   *
   * @param caseId - of a run of a case, with its arm.
   */
  enter(signal: AbortSignal, caseId?: string): Promise<() => void>
  readonly running: number
  readonly waiting: number
  /** Most that ever ran at once. */
  readonly peak: number
}

export function createLimit(slots: number): Limit {
  let running = 0
  let peak = 0
  const admit = (): void => {
    while (running < slots && line.length > 0) {
      running += 1
      peak = Math.max(peak, running)
      line.call(createLeave())
    }
  }
  const line = createQueue<() => void>(admit, createTurns())
  const createLeave = (): (() => void) => {
    let left = false
    return () => {
      if (left) return
      left = true
      running -= 1
      admit()
    }
  }
  return {
    enter: (signal, caseId) => line.join(signal, caseId),
    get running() {
      return running
    },
    get waiting() {
      return line.length
    },
    get peak() {
      return peak
    },
  }
}

// One arm takes longer to prepare, so all of the other would be in line before it: the time of day and rate limits have to
// hit both alike. Whoever another arm of its case is ahead of goes first.
function createTurns(): (waiting: readonly string[]) => number {
  const started = new Map<string, Map<string, number>>()
  return (waiting) => {
    const behind = waiting.findIndex((id) => {
      const [base, arm] = armOf(id)
      const counts = started.get(base)
      return counts !== undefined && Math.max(...counts.values()) > (counts.get(arm) ?? 0)
    })
    const next = Math.max(0, behind)
    const [base, arm] = armOf(waiting[next] ?? '')
    const counts = started.get(base) ?? new Map<string, number>()
    started.set(base, counts.set(arm, (counts.get(arm) ?? 0) + 1))
    return next
  }
}

// Cases are named as they are shown: `a.yaml#a@variant (run 2)`.
function armOf(caseId: string): readonly [base: string, arm: string] {
  const [, base = caseId, arm = ''] = /^([\s\S]*?)(@variant|@without_skill)?(?: \(run \d+\))?$/.exec(caseId) ?? []
  return [base, arm]
}

/** Those who wait for something, in the order they came. */
interface Queue<T> {
  readonly length: number
  /** Waits to be called. Rejects with the signal's reason when it aborts first. */
  join(signal: AbortSignal, name?: string): Promise<T>
  /** Calls the next one, with what it waited for. */
  call(value: T): void
}

/**
 * Makes a line; `onJoin` checks whether one can be called at once.
 *
 * @param choose - index of who is called next, by the names of all in line; by default the first.
 */
export function createQueue<T>(onJoin: () => void, choose: (waiting: readonly string[]) => number = () => 0): Queue<T> {
  const line: ((value: T) => void)[] = []
  const names: string[] = []
  const leave = (index: number): ((value: T) => void) | undefined => {
    names.splice(index, 1)
    return line.splice(index, 1)[0]
  }
  return {
    get length() {
      return line.length
    },
    call(value) {
      if (line.length > 0) leave(choose(names))?.(value)
    },
    join(signal, name = '') {
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const enter = (value: T): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(value)
        }
        const giveUp = (): void => {
          leave(line.indexOf(enter))
          reject(signal.reason)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        line.push(enter)
        names.push(name)
        onJoin()
      })
    },
  }
}

/** Lets some runs go before all others. */
export interface Priority {
  /** Makes all other runs wait until {@link end}; calling it again replaces who goes first. */
  begin(isFirst: (caseId: string) => boolean): void
  end(): void
  /** Resolves when it is the run's turn to wait for a slot. Rejects with the signal's reason when it aborts first. */
  turnOf(caseId: string, signal: AbortSignal): Promise<void>
}

/** At first everybody's turn is at once. */
export function createPriority(): Priority {
  let isFirst: ((caseId: string) => boolean) | null = null
  let over = new AbortController()
  const mustWait = (caseId: string): boolean => isFirst !== null && !isFirst(caseId)
  return {
    begin(predicate) {
      over.abort()
      isFirst = predicate
      over = new AbortController()
      // A listener for each waiting run is no leak.
      setMaxListeners(0, over.signal)
    },
    end() {
      isFirst = null
      over.abort()
    },
    async turnOf(caseId, signal) {
      while (mustWait(caseId)) {
        const either = AbortSignal.any([over.signal, signal])
        await new Promise<void>((resolve) => {
          if (either.aborted) resolve()
          else either.addEventListener('abort', () => resolve(), { once: true })
        })
        signal.throwIfAborted()
      }
    },
  }
}

/** What an API did with the time of a run. */
export interface Delay {
  readonly code: ErrorCode
  /** Goes on after "It did not end in time". */
  readonly clause: string
}

/** Tells what an API that fails, refuses or hangs did with the time of a run; `null` when it did nothing. */
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

/**
 * A promise that rejects with the signal's reason when it aborts first. `begin` gets what ends the waiting, and returns how to
 * leave the line.
 */
export function waitFor<T>(
  signal: AbortSignal,
  begin: (resolve: (value: T) => void, reject: (error: Error) => void, over: () => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const line: { leave?: () => void } = {}
    const giveUp = (): void => {
      line.leave?.()
      reject(signal.reason)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    line.leave = begin(resolve, reject, () => signal.removeEventListener('abort', giveUp))
  })
}

/** How fast one API may be asked: learnt from its refusals, and shared by all runs that ask it. */
export interface RateLimiter {
  /** Waits for its turn, in the order of asking. Rejects with the signal's reason when it aborts first. */
  enter(signal: AbortSignal): Promise<Turn>
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

  const header = headers['retry-after']
  if (typeof header !== 'string') return null
  const wait = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
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
