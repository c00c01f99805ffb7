import type { RunSettings } from '../run-settings.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'

/** Seconds a case may take: its own field, which nothing replaces, else environment, suite, option, the format's default. */
export function caseTimeout(
  suite: Pick<Suite, 'config'> & Partial<Pick<Suite, 'skill'>>,
  evalCase: Pick<EvalCase, 'timeout'>,
  { timeout }: Pick<RunSettings, 'timeout'>,
): number {
  return (
    evalCase.timeout ??
    timeout.environment ??
    suite.config.timeout ??
    timeout.option ??
    (suite.skill === undefined ? AAM_DEFAULT : SKILL_DEFAULT)
  )
}

/** Seconds; from the BMAD text. */
const SKILL_DEFAULT = 600

/** Seconds; from the AAM text. */
const AAM_DEFAULT = 120
