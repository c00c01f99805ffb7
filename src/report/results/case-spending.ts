import { addUsage, microdollars } from '../../gateway/budget/spending.ts'
import { sumOf } from '../../lib/lists.ts'
import { reportUsage } from '../build/summarize-run.ts'
import type { CaseResult, CaseRun, CaseSpending, JudgePart, Spending } from './result.ts'

/** What a case took: every run of its agent, every judge that was asked, and the tries that a later one replaced. */
export function spendingOf(result: CaseResult): CaseSpending {
  const spent = { agent: agentSpending(result), judge: addSpending(judgesOf(result).map(spendingOfJudge)) }
  // A result that was taken over was paid for by the run that made it.
  const paid =
    result.reused_from === null ? spent : { agent: withoutCost(spent.agent), judge: withoutCost(spent.judge) }
  const { replaced } = result
  if (replaced === undefined) return paid
  return { agent: addSpending([paid.agent, replaced.agent]), judge: addSpending([paid.judge, replaced.judge]) }
}

/** Whether anything of a case was started, so that it may have cost something. */
export function hasSpent(result: CaseResult): boolean {
  return result.runs.length > 0 || result.replaced !== undefined || isLost(result)
}

function agentSpending(result: CaseResult): Spending {
  const spending = addSpending(result.runs.map(spendingOfRun))
  return isLost(result) ? { ...spending, hasUnknown: true } : spending
}

// A run that was lost may have spent money: its cost is unknown, not nothing.
function isLost({ error }: CaseResult): boolean {
  return error?.code === 'interrupted'
}

function judgesOf({ judge, runs }: CaseResult): readonly JudgePart[] {
  const verdicts = runs.flatMap(({ verdict }) => (verdict === undefined ? [] : [verdict.judge]))
  return (verdicts.length === 0 ? [judge] : verdicts).filter((part) => part !== null)
}

function spendingOfRun({ cost_usd: usd, usage }: CaseRun): Spending {
  return { usd: usd ?? 0, hasUnknown: usd === null, usage }
}

function spendingOfJudge({ costUsd: usd, usage }: JudgePart): Spending {
  return { usd: usd ?? 0, hasUnknown: usd === null, usage: reportUsage(usage) }
}

function withoutCost(spending: Spending): Spending {
  return { ...spending, usd: 0, hasUnknown: false }
}

/** Adds up what several things took. */
export function addSpending(parts: readonly Spending[]): Spending {
  return {
    usd: sumOf(parts, ({ usd }) => usd),
    hasUnknown: parts.some(({ hasUnknown }) => hasUnknown),
    usage: addUsage(parts.map(({ usage }) => usage)),
  }
}

/** Dollars of a spending; `null` when a part is unknown. */
export function knownOrNull({ usd, hasUnknown }: Spending): number | null {
  return hasUnknown ? null : microdollars(usd)
}
