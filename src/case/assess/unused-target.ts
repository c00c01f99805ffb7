import { plainName } from '../../transcript/plain-name.ts'
import { failedSkillCalls, hookDecisions, skillsUsed } from '../../transcript/select.ts'
import { firstLine } from '../../checks/hook-events.ts'
import type { Decision } from '../../results/decide-outcome.ts'
import type { EvalCase } from '../../suites/suite.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** Says that a run never touched what it evaluates; empty when it did. */
export function unusedTarget(
  run: AgentRun,
  { arm, checks, target }: Pick<EvalCase, 'arm' | 'checks' | 'target'>,
): readonly string[] {
  if (run.status !== 'completed' || arm !== undefined) return []
  if (target?.kind === 'skill' && !skillsUsed(run).map(plainName).includes(target.name)) {
    const failed = failedSkillCalls(run).find(({ skill }) => skill === target.name)
    const tried =
      failed === undefined ? '' : ` It tried to call ${target.name}; the call failed: ${firstLine(failed.text)}`
    return [`The skill ${target.name} was never used in this run.${tried}`]
  }
  const isChecked = checks.some(({ kind }) => kind === 'hook-ran')
  if (target?.kind === 'hook' && !isChecked && hookDecisions(run, target.name).length === 0)
    return [`No hook of ${target.name} ran.`]
  return []
}

/**
 * Says that the skill was used where there must be none; `null` when it was not. What such a run shows is no comparison.
 */
export function usedInBaseline(run: AgentRun, { arm, target }: Pick<EvalCase, 'arm' | 'target'>): Decision | null {
  if (arm === undefined || target === null) return null
  const used = skillsUsed(run).find((name) => name === target.name || name.endsWith(`:${target.name}`))
  if (used === undefined) return null
  const message = `The skill ${used} was used in the run without it: the session can read a copy of it. Remove the copy, or exclude it from the overlays.`
  return { outcome: 'errored', reason: message, error: { code: 'baseline-contaminated', message } }
}
