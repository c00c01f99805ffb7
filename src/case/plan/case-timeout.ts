import { nearest, type RunSettings } from '../../settings.ts'
import { formatOf } from '../../suites/formats/registry.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** Seconds a case may take: its own field, which nothing replaces, else environment, suite, option, the format's default. */
export function caseTimeout(
  suite: Pick<Suite, 'config' | 'format'>,
  evalCase: Pick<EvalCase, 'timeout'>,
  { timeout }: Pick<RunSettings, 'timeout'>,
): number {
  return evalCase.timeout ?? nearest(timeout, suite.config.timeout, formatOf(suite.format).defaultTimeout)
}
