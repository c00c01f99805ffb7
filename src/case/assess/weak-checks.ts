import { runChecks } from '../../checks/run-checks.ts'
import { HOLDS_BEFORE } from './decide-statements.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** Marks the checks of a skill's eval that a run passes in which nothing happens. */
export function markWeakChecks(
  { suite, evalCase }: { readonly suite: Pick<Suite, 'skill'>; readonly evalCase: Pick<EvalCase, 'checks' | 'target'> },
  checks: readonly CheckResult[],
  run: AgentRun,
): readonly CheckResult[] {
  if (suite.skill === undefined) return checks
  const nothing = { created: [], modified: [], deleted: [], unreadable: [] }
  const untouched = { ...run, output: '', finalMessage: '', transcript: [], files: nothing }
  const before = runChecks(evalCase.checks, untouched, evalCase.target)
  return checks.map((check, index) =>
    before[index]?.outcome === 'passed' ? { ...check, weak: check.weak ?? HOLDS_BEFORE } : check,
  )
}
