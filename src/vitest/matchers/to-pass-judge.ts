import { AgentEvalsError } from '../../errors.ts'
import { splitCriteria } from '../../judges/statements/statements.ts'
import { judgeByMatcher, type JudgeOptions } from './judge-by-matcher.ts'
import type { MatcherResult, MatcherState } from './received.ts'

/** Passes when a judge finds that every statement of the criteria holds. */
export function toPassJudge(
  this: MatcherState,
  received: unknown,
  criteria: string,
  options: JudgeOptions = {},
): Promise<MatcherResult> {
  const statements = typeof criteria === 'string' ? splitCriteria(criteria) : []
  if (statements.length === 0) {
    throw new AgentEvalsError('invalid-options', 'toPassJudge() needs criteria: the statements to judge.')
  }
  return judgeByMatcher(this, { matcher: 'toPassJudge', received, criteria, statements, options })
}

/** Passes when a judge finds that every expectation of the list is met. */
export function toMeetExpectations(
  this: MatcherState,
  received: unknown,
  expectations: readonly string[],
  options: JudgeOptions = {},
): Promise<MatcherResult> {
  const isList = Array.isArray(expectations) && expectations.length > 0
  if (!isList || expectations.some((text) => typeof text !== 'string' || text.trim() === '')) {
    throw new AgentEvalsError('invalid-options', 'toMeetExpectations() needs a list of sentences, none of them empty.')
  }
  const statements = [...new Set(expectations.map((text) => text.trim()))]
  const criteria = statements.map((text) => `- ${text}`).join('\n')
  return judgeByMatcher(this, { matcher: 'toMeetExpectations', received, criteria, statements, isList: true, options })
}
