import type { RunnerTestCase, TestError } from 'vitest'
import { isRetryable } from './retry.ts'
import type { AgentEvalsError, ErrorCode } from '../../errors.ts'
import type { TestEnding } from '../../case/result/build-test-result.ts'

/** The attempt that ended. */
export interface EndedAttempt {
  /** Errors of the attempts before it. */
  readonly errorsBefore: number
  readonly signal: AbortSignal
}

/** How a test ended, in the words of a result; `null` where it was stopped and has none. */
export function endingOf(
  task: Pick<RunnerTestCase, 'fails' | 'result'>,
  { errorsBefore, signal }: EndedAttempt,
): TestEnding | null {
  const { result } = task
  if (result?.state === 'skip') return skipped((result as { readonly note?: string }).note, signal)
  const errors = (result?.errors ?? []).slice(errorsBefore)
  if (result?.state !== 'fail') {
    if (task.fails === true) return failed('It passed, and is marked with `.fails`.')
    return PASSED
  }
  const timeout = errors.find(({ message }) => TIMED_OUT.test(message))
  if (timeout !== undefined) return errored('timed-out', timeout.message)
  if (signal.aborted) return null

  const wrong = errors.find((error) => !isRetryable(error))
  if (wrong !== undefined) return task.fails === true ? PASSED : failed(wrong.message)
  // What could not be completed is no failure that was expected.
  if (task.fails === true) task.fails = false
  const [broken] = errors
  // Vitest 4.1 does not tell every test that it is stopped; the gateway does.
  if (broken !== undefined && codeOf(broken) === 'cancelled') return null
  return errored(codeOf(broken), broken?.message ?? 'The test failed without an error.')
}

/** How a test ended that an error of ours has broken. */
export function brokenBy({ code, message }: AgentEvalsError): TestEnding {
  return errored(code, message)
}

function skipped(note: string | undefined, signal: AbortSignal): TestEnding | null {
  return signal.aborted ? null : { outcome: 'skipped', reason: note ?? 'skipped by the test', error: null }
}

function failed(reason: string): TestEnding {
  return { outcome: 'failed', reason, error: null }
}

function errored(code: ErrorCode, message: string): TestEnding {
  return { outcome: 'errored', reason: message, error: { code, message } }
}

// Errors of ours alone come here, and these have a code.
function codeOf(error: TestError | undefined): ErrorCode {
  const code: unknown = error?.['code']
  return typeof code === 'string' ? (code as ErrorCode) : 'engine-failed'
}

const PASSED: TestEnding = { outcome: 'passed', reason: null, error: null }
// As Vitest says it of a test whose own timeout is over.
const TIMED_OUT = /^(?:Test|Hook) timed out in \d+ms/
