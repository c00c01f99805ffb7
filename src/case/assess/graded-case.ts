import type { EvalCase } from '../../suites/suite.ts'

/** A case that has graders. */
export type GradedCase = EvalCase & Required<Pick<EvalCase, 'pluginEval'>>

/** Whether a case is graded instead of checked. */
export function isGraded(evalCase: EvalCase): evalCase is GradedCase {
  return evalCase.pluginEval !== undefined
}
