import { beforeEach, expect } from 'vitest'
import type { CheckResult } from '../../checks/check.ts'
import { toPrintableFailure, toPrintableMessage } from '../../lib/text.ts'
import type { MatcherResult } from '../matchers/received.ts'
import '../matchers/register.ts'
import { exitWithMain, limitRetry, readSettings } from './worker-process.ts'

/** Says what a check or the judge found, in Vitest's own words and with its diff. */
type Finding = Pick<CheckResult, 'outcome' | 'message' | 'expected' | 'actual'>

/** Internal: how a generated test reports one finding. */
function checkMatcher(finding: Finding): MatcherResult {
  return {
    pass: finding.outcome === 'passed',
    message: () => toPrintableFailure(finding.message),
    ...(finding.expected === undefined ? {} : { expected: toPrintableMessage(finding.expected) }),
    ...(finding.actual === undefined ? {} : { actual: toPrintableMessage(finding.actual) }),
  }
}

declare global {
  namespace Chai {
    interface Assertion {
      /** @internal */
      toHavePassedCheck(): void
    }
  }
}

expect.extend({ toHavePassedCheck: checkMatcher })
beforeEach(async ({ task, signal, onTestFinished }) => {
  limitRetry(task)
  // A case of a suite file leaves its result itself.
  if (!CODE.test(task.file.filepath)) return
  const [{ recordTest }] = await Promise.all([import('./test-record.ts'), import('../matchers/arguments.ts')])
  await recordTest({ task, signal, onTestFinished }, readSettings())
})
exitWithMain()

const CODE = /\.[cm]?[jt]sx?$/
