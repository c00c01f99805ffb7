import { AgentEvalsError } from '../../errors.ts'
import { describeFailure } from './describe-failure.ts'
import { describeJudge, describeStatement } from './describe-judge.ts'
import type { CaseResult } from '../../results/result.ts'
import type { RunSettings } from '../../settings.ts'

/**
 * What there is to say at the line of one listed statement: a message where it does not hold, an error where the case is
 * errored for it, `null` where nothing is wrong. The first line that fails has the whole story.
 */
export function findStatement(
  result: CaseResult,
  index: number,
  settings: RunSettings,
): AgentEvalsError | string | null {
  const { outcome, error, judge, checks } = result
  if (judge === null || outcome === 'passed') return null
  const isFirst = index === firstToSay(judge)
  const tell = (headline: string): string => describeFailure(result, headline, settings)
  if (error !== null) return isFirst ? new AgentEvalsError(error.code, tell(describeJudge(judge))) : null
  const hasSaid = checks.some((check) => check.outcome === 'failed')
  if (judge.result === 'skipped') return isFirst && !hasSaid ? tell(describeJudge(judge)) : null
  const statement = judge.statements[index]
  if (statement?.verdict !== 'fail') return null
  return isFirst && !hasSaid ? tell(describeJudge(judge)) : describeStatement(statement).trim()
}

// Where the judge gave no verdicts at all, the first line speaks for all of them.
function firstToSay({ statements, error }: NonNullable<CaseResult['judge']>): number {
  const wanted = error === null ? 'fail' : 'unscored'
  return Math.max(
    0,
    statements.findIndex(({ verdict }) => verdict === wanted),
  )
}
