import { kindOf } from '../../suites/kinds.ts'
import { findSharedScenarios, type ScenarioRequest } from '../../case/prepare/find-scenario.ts'
import type { Issue } from '../../documents/issue.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** Errors for cases whose scenario is that of a case in another suite too: their runs are refused. */
export function findSharedScenarioIssues(
  suite: Suite,
  settings: ScenarioRequest['settings'],
  engineNames: readonly string[],
): readonly Issue[] {
  return suite.cases.flatMap((evalCase) => {
    const reasons = armsOf(evalCase).flatMap((arm) =>
      findSharedScenarios({ suite, evalCase: arm, settings }, engineNames),
    )
    return [...new Set(reasons)].map((message): Issue => ({
      code: 'invalid-scenario',
      severity: 'error',
      file: suite.file,
      field: '',
      message,
      ...evalCase.at,
    }))
  })
}

// A suite is read without the arm that some options add.
function armsOf(evalCase: EvalCase): readonly EvalCase[] {
  return kindOf(evalCase).selectedBy === 'trigger' ? [evalCase] : [evalCase, { ...evalCase, arm: 'without_skill' }]
}
