import type { Issue } from '../../documents/issue.ts'
import type { Suite } from '../../suites/suite.ts'

/** An error for a judge.md that recommends no judge: without --judge no golden test of the agent can be judged. */
export function findMissingJudges(suites: readonly Suite[]): readonly Issue[] {
  const judges = new Map(
    suites.flatMap(({ agent }) => (agent === undefined ? [] : [[agent.judge.file, agent.judge] as const])),
  )
  return [...judges.values()]
    .filter(({ crossFamily, sameFamilyFallback }) => crossFamily.length + sameFamilyFallback.length === 0)
    .map(({ file }) => ({
      code: 'no-recommended-judge',
      severity: 'error',
      file,
      field: 'recommended_judge',
      message: 'names no judge, so golden tests run only with --judge; add cross_family or same_family_fallback',
      line: 1,
      column: 1,
    }))
}
