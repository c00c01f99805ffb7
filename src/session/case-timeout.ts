import type { RunSettings } from '../run-settings.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'

/** Seconds a case may take: its own field, which nothing replaces, else environment, suite, option, the format's default. */
export function caseTimeout(
  suite: Pick<Suite, 'config'>,
  evalCase: Pick<EvalCase, 'timeout'>,
  { timeout }: Pick<RunSettings, 'timeout'>,
): number {
  return evalCase.timeout ?? timeout.environment ?? suite.config.timeout ?? timeout.option ?? AAM_DEFAULT
}

/** Seconds; from the AAM text. */
const AAM_DEFAULT = 120
