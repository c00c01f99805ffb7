import { hookDecisions, skillsUsed } from '../transcript/select.ts'
import type { Target } from '../suites/suite.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** Says that a run never touched what it evaluates; empty when it did. */
export function unusedTarget(run: AgentRun, target: Target | null): readonly string[] {
  if (run.status !== 'completed') return []
  if (target?.kind === 'skill' && !skillsUsed(run).includes(target.name)) {
    return [`The skill ${target.name} was never used in this run.`]
  }
  if (target?.kind === 'hook' && hookDecisions(run, target.name).length === 0) {
    return [`No hook of ${target.name} ran.`]
  }
  return []
}
