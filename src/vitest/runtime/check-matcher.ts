import 'vitest'
import { toPrintableMessage } from '../../results/printable.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { MatcherResult } from '../matchers/received.ts'

/** Says what a check or the judge found, in Vitest's own words and with its diff. */
export type Finding = Pick<CheckResult, 'outcome' | 'message' | 'expected' | 'actual'>

/** Internal: how a generated test reports one finding. */
export function checkMatcher(finding: Finding): MatcherResult {
  return {
    pass: finding.outcome === 'passed',
    message: () => toPrintableMessage(finding.message),
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
