import type { ErrorCode } from '../../errors.ts'
import type { MeterReading } from '../leases/lease.ts'

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
