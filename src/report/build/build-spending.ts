import { hasSpent, spendingOf } from '../../results/cost/case-spending.ts'
import { addSpending, knownOrNull, microdollars } from '../../results/cost/spending.ts'
import type { CaseResult } from '../../results/result.ts'
import type { Usage } from '../../transcript/transcript.ts'
import type { ReportCase, ReportSummary, ReportUsage } from '../report.ts'

/** What a case took, agent and judge together and apart. */
export function buildSpending(result: CaseResult): Pick<ReportCase, 'cost' | 'cost_usd' | 'usage'> {
  if (!hasSpent(result)) return { usage: null, cost_usd: null, cost: null }
  const { agent, judge } = spendingOf(result)
  const both = addSpending([agent, judge])
  return {
    usage: buildUsage(both.usage),
    cost_usd: knownOrNull(both),
    cost: { agent_usd: knownOrNull(agent), judge_usd: knownOrNull(judge), known_usd: microdollars(both.usd) },
  }
}

/** What the cases of a report took together. */
export function sumSpending(
  results: readonly CaseResult[],
): Pick<ReportSummary, 'cost_usd' | 'tokens' | 'unknown_cost_cases'> {
  const cases = results.filter(hasSpent).map((result) => addSpending(Object.values(spendingOf(result))))
  const { usd, usage } = addSpending(cases)
  const unknown = cases.filter(({ hasUnknown }) => hasUnknown).length
  return {
    cost_usd: unknown > 0 && usd === 0 ? null : microdollars(usd),
    unknown_cost_cases: unknown,
    tokens: buildUsage(usage),
  }
}

/** Tokens in the words of the report. */
export function buildUsage(usage: Usage | null): ReportUsage | null {
  if (usage === null) return null
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  }
}
