import type { RunSettings } from '../../settings.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** Seconds a case may take: its own field, which nothing replaces, else environment, suite, option, the format's default. */
export function caseTimeout(
  suite: Pick<Suite, 'config'> & Partial<Pick<Suite, 'agent' | 'skill'>>,
  evalCase: Pick<EvalCase, 'timeout'>,
  { timeout }: Pick<RunSettings, 'timeout'>,
): number {
  return (
    evalCase.timeout ??
    timeout.environment ??
    suite.config.timeout ??
    timeout.option ??
    (suite.skill === undefined && suite.agent === undefined ? AAM_DEFAULT : LONG_DEFAULT)
  )
}

/** Seconds; from the BMAD text, and for golden tests, whose text says none. */
const LONG_DEFAULT = 600

/** Seconds; from the AAM text. */
const AAM_DEFAULT = 120
