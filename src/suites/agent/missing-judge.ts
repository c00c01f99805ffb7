import type { Issue } from '../../documents/issue.ts'
import type { Suite } from '../suite.ts'

/** An error for a judge.md that recommends no judge: without --judge no golden test of the agent can be judged. */
export function findMissingJudge({ agent }: Suite): readonly Issue[] {
  if (agent === undefined) return []
  const { file, crossFamily, sameFamilyFallback } = agent.judge
  if (crossFamily.length + sameFamilyFallback.length > 0) return []
  const message = 'names no judge, so golden tests run only with --judge; add cross_family or same_family_fallback'
  const field = 'recommended_judge'
  return [{ code: 'no-recommended-judge', severity: 'error', file, field, message, line: 1, column: 1 }]
}
