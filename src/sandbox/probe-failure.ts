import { messageOf } from '../errors.ts'
import type { SessionResult } from './run.ts'

/** A backend that does not work here. */
export interface FailedProbe extends Failure {
  readonly works: false
  readonly found: boolean
  /** What to do about it, one sentence, where that is known. */
  readonly remedy?: string
}

/** Why a backend does not work here. */
export interface Failure {
  readonly reason: string
  /** Whether the machine had run out of something, so that nothing is known of the sandbox. */
  readonly exhausted: boolean
}

/** Of a backend that is not there. */
export function missing(reason: string): FailedProbe {
  return { works: false, found: false, reason, exhausted: false }
}

/** Why a trial has failed; `null` when it has not. */
export function describeResult(result: SessionResult, program: string, deadlineMs: number): Failure | null {
  if (result.exitCode === 0) return null
  if (result.timedOut) return failure(`${program} did not answer within ${deadlineMs / 1000} s`)

  const reason = firstLine(result.setupError ?? result.resourceLimit ?? result.stderrTail)
  return failure(reason || `${program} ended with exit code ${result.exitCode}`)
}

/** Why a trial could not be made. */
export function describeFailure(error: unknown): Failure {
  return failure(firstLine(messageOf(error)))
}

function failure(reason: string): Failure {
  return { reason, exhausted: EXHAUSTED.test(reason) }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

// bwrap itself says ENOSPC where namespaces are forbidden: that is no lack of anything.
const EXHAUSTED =
  /^(?:EMFILE|ENFILE|ENOMEM|EAGAIN|ENOSPC|EDQUOT)\b|^spawn .+ E(?:MFILE|NFILE|NOMEM|AGAIN)$|Too many open files|Cannot allocate memory/
