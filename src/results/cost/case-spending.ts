import { addSpending, spendingOfLease, type CaseSpending, type Spending } from './spending.ts'
import type { JudgePart } from '../../judges/judgement.ts'
import type { CaseResult } from '../result.ts'

/** What a case took: every run of its agent, every judge that was asked, and the tries that a later one replaced. */
export function spendingOf(result: CaseResult): CaseSpending {
  const own = { agent: agentSpending(result), judge: addSpending(judgesOf(result).map(spendingOfLease)) }
  // A result that was taken over was paid for by the run that made it.
  const paid = result.reusedFrom === undefined ? own : { agent: withoutCost(own.agent), judge: withoutCost(own.judge) }
  const { replaced } = result
  if (replaced === undefined) return paid
  return { agent: addSpending([paid.agent, replaced.agent]), judge: addSpending([paid.judge, replaced.judge]) }
}

/** Whether anything of a case was started, so that it may have cost something. */
export function hasSpent(result: CaseResult): boolean {
  return result.runs.length > 0 || result.replaced !== undefined || isLost(result)
}

function agentSpending(result: CaseResult): Spending {
  const known = addSpending(result.runs.map(spendingOfLease))
  return isLost(result) ? { ...known, hasUnknown: true } : known
}

// A run that was lost may have spent money: its cost is unknown, not nothing.
function isLost({ error }: CaseResult): boolean {
  return error?.code === 'interrupted'
}

function judgesOf({ judge, runs }: CaseResult): readonly JudgePart[] {
  const verdicts = runs.flatMap(({ verdict }) => (verdict === undefined ? [] : [verdict.judge]))
  return (verdicts.length === 0 ? [judge] : verdicts).filter((part) => part !== null)
}

function withoutCost(spending: Spending): Spending {
  return { ...spending, usd: 0, hasUnknown: false }
}
