import { sumOf } from '../../lib/lists.ts'
import { percent, wilsonInterval, Z2 } from '../../lib/rates.ts'
import { dollars, plural } from '../../lib/text.ts'
import type { Budgets } from '../../options/project-options.ts'
import type { ReadReport } from '../read-report.ts'
import { countOutcomes } from '../results/result.ts'
import type { GatedBudget, GatedCase, GateResult } from './comparison-schema.ts'

/** What leaves a gate without an answer. */
export const OPEN: ReadonlySet<GatedCase['status']> = new Set(['changed', 'errored', 'missing', 'mixed', 'stopped'])

/** What a comparison alone comes to. */
export function comparedVerdict({ cases, pooled }: Pick<GateResult, 'cases' | 'pooled'>): GateResult['verdict'] {
  if (pooled === null || cases.some(({ status }) => OPEN.has(status))) return 'incomplete'
  return pooled.regressed || cases.some(({ regressed }) => regressed) ? 'failed' : 'passed'
}

/** What limits come to; `null` where there are none. */
export function verdictOf(budgets: readonly GatedBudget[]): GateResult['verdict'] | null {
  if (budgets.length === 0) return null
  if (budgets.some(({ verdict }) => verdict === 'failed')) return 'failed'
  return budgets.some(({ verdict }) => verdict === 'unknown') ? 'incomplete' : 'passed'
}

/** The worst of several verdicts: a regression is certain, whatever else is not known. */
export function worstOf(verdicts: readonly (GateResult['verdict'] | null)[]): GateResult['verdict'] | null {
  return (['failed', 'incomplete', 'passed'] as const).find((one) => verdicts.includes(one)) ?? null
}

/** Compares what a run came to with its budgets: its pass rate by the lower bound of the interval. */
export function checkBudgets(reports: readonly ReadReport[], { passRate, costUsd }: Budgets): readonly GatedBudget[] {
  return [
    ...(passRate === undefined ? [] : [checkPassRate(reports, passRate)]),
    ...(costUsd === undefined ? [] : [checkCost(reports, costUsd)]),
  ]
}

// What runs for comparison only, or is in quarantine, gates nothing; it is paid all the same.
function checkPassRate(reports: readonly ReadReport[], limit: number): GatedBudget {
  const gating = reports.flatMap(({ cases }) => cases).filter((one) => one.arm === null && one.quarantined === null)
  const { passed, decided } = countOutcomes(gating)
  const interval = wilsonInterval(passed, decided)
  const name = 'passRate'
  if (interval === null) return { name, limit, value: null, interval, verdict: 'unknown', why: 'no case was decided' }
  return {
    name,
    limit,
    value: passed / decided,
    interval,
    verdict: interval[0] < limit ? 'failed' : 'passed',
    why: null,
  }
}

/** What reports cost together, as far as it is known. */
export function costOf(reports: readonly Pick<ReadReport, 'summary'>[]): {
  readonly cost_usd: number
  readonly unknown_cost_cases: number
} {
  return {
    cost_usd: sumOf(reports, ({ summary }) => summary.cost_usd ?? 0),
    unknown_cost_cases: sumOf(reports, ({ summary }) => summary.unknown_cost_cases ?? 0),
  }
}

function checkCost(reports: readonly ReadReport[], limit: number): GatedBudget {
  const { cost_usd: value, unknown_cost_cases: unknown } = costOf(reports)
  const ran = reports.some(({ cases }) => cases.some(({ cost }) => cost !== null))
  const why = ran && unknown > 0 ? `the cost of ${plural(unknown, 'case')} is not known` : null
  // What is known may be too much already; what is not known may be.
  const verdict = value > limit ? 'failed' : why === null ? 'passed' : 'unknown'
  return { name: 'costUsd', limit, value, interval: null, verdict, why }
}

/** What limits a run by itself. */
interface PlannedLimits {
  /** How many cases gate; `null` where they are not known yet. */
  readonly gating: number | null
  /** Whether no answer can cost anything. */
  readonly isFree: boolean
  readonly maxCostUsd: number
}

/** Says which budgets so many cases cannot meet, or cannot miss, before anything is run or paid. */
export function announceBudgets({ passRate, costUsd }: Budgets, planned: PlannedLimits): readonly string[] {
  return [
    ...(passRate === undefined || planned.gating === null ? [] : announcePassRate(passRate, planned.gating)),
    ...(costUsd === undefined ? [] : announceCost(costUsd, planned)),
  ]
}

function announcePassRate(limit: number, gating: number): readonly string[] {
  if (gating === 0) return ['The budget pass rate cannot pass: there are no cases.']
  const best = wilsonInterval(gating, gating)?.[0] ?? 0
  if (best >= limit) return []
  const [shown, enough] = [percent(best), enoughFor(limit).toLocaleString('en-US')]
  return [
    `The budget pass rate cannot pass: even if all ${gating} cases pass, the lower bound is ${shown}, below ${percent(limit)}. It takes ${enough}.`,
  ]
}

function announceCost(limit: number, { isFree, maxCostUsd }: PlannedLimits): readonly string[] {
  if (isFree) return ['The budget cost cannot fail: answers that are replayed cost nothing.']
  if (maxCostUsd > limit) return []
  return [`The budget cost cannot fail: --max-cost-usd stops the run at ${dollars(maxCostUsd)}.`]
}

// All of n pass: Wilson's lower bound is n / (n + z²).
function enoughFor(limit: number): number {
  return Math.ceil((limit / (1 - limit)) * Z2 - 1e-9)
}
