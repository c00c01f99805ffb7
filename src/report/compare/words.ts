import { describeCost } from '../../gateway/budget/spending.ts'
import { boundsText, formatPoints, percent } from '../../lib/rates.ts'
import { dollars, plural } from '../../lib/text.ts'
import type { Detectable } from '../statistics/regression-tests.ts'
import { formatSeconds } from '../summary/table.ts'
import { comparedVerdict, OPEN, verdictOf } from './verdicts.ts'
import type { Comparison, GatedBudget, GatedCase, GateResult } from './comparison-schema.ts'

// What a comparison says in words, the same in the terminal and in Markdown. None of it comes from a report, unless `show`
// made it harmless.

/** What a comparison came to: the verdict, where it decides something or is none, and why. */
export function sayVerdict(comparison: Comparison, decides: boolean): readonly [verdict: string, why: string] {
  const { pooled, cases } = comparison
  const verdict = comparedVerdict(comparison)
  const open = cases.filter(({ status }) => OPEN.has(status)).length
  const worse = 'The cases are worse by more than noise.'
  const untested = open === 0 ? 'no case could be tested.' : `${plural(open, 'case')} could not be tested.`
  const isWorse = pooled?.regressed === true || cases.some(({ regressed }) => regressed)
  const why = {
    failed: worse,
    incomplete: `${untested}${isWorse ? ` ${worse}` : ''}`,
    passed: 'No regression beyond noise was found.',
  }
  if (!decides) return [verdict === 'incomplete' ? 'Undecided:' : '', why[verdict]]
  return [{ failed: 'Gate failed.', incomplete: 'Gate undecided:', passed: 'Gate passed.' }[verdict], why[verdict]]
}

/** What budgets came to, naming those that are not kept. */
export function sayBudgets(budgets: readonly GatedBudget[]): string {
  const labels = (state: GatedBudget['verdict']): string =>
    budgets.flatMap((one) => (one.verdict === state ? [describeBudget(one)[0]] : [])).join(', ')
  return {
    failed: `Budgets missed: ${labels('failed')}.`,
    incomplete: `Budgets undecided: ${labels('unknown')}.`,
    passed: 'All budgets are kept.',
  }[verdictOf(budgets) ?? 'passed']
}

/** A budget: what it came to, and what it has to be. */
export function describeBudget({
  name,
  limit,
  value,
  interval,
  why,
}: GatedBudget): readonly [label: string, text: string] {
  const [label, show, bound] =
    name === 'passRate'
      ? (['pass rate', percent, 'lower bound at least'] as const)
      : (['cost', dollars, 'at most'] as const)
  const bounds = interval === null ? '' : `${boundsText(' (', interval)})`
  const came = value === null ? 'unknown' : `${show(value)}${bounds}`
  return [label, `${came}; ${bound} ${show(limit)}${why === null ? '' : `; ${why}`}`]
}

/** What tests can find, before anything is run or paid. */
export function describePower(cases: number, plan: Detectable): readonly string[] {
  const { least_drop: leastDrop, pooled_level: pooledLevel, single_level: singleLevel } = plan
  const best = `p = ${formatP(cases === 1 ? plan.best_single_p_value : plan.best_adjusted_p_value)} at best`
  const single =
    cases === 1
      ? `One case: one-sided ${best}.`
      : singleLevel > 0
        ? `A single case can fail: ${best} after Holm over ${cases} cases, at the level ${singleLevel}.`
        : `No single case can fail: ${best} after Holm over ${cases} cases.`
  const pooled =
    leastDrop === null
      ? `This gate cannot fail: with so few runs the pooled test never reaches the level ${pooledLevel}. Run more cases, or each more often (--runs).`
      : `The pooled test can fail from a drop of ${percent(leastDrop).replace('%', ' points')}, at the level ${pooledLevel}.`
  return [single, pooled]
}

/** A row of a table: what it is of, and both sides. */
type Row = readonly [what: string, before: string, after: string]

/** Sums over the compared cases, side by side, without what is unknown of both. */
export function totalRows({ totals, lift }: Comparison, show: (text: string) => string): readonly Row[] {
  const { cases, before, after } = totals
  if (cases === 0) return []
  const row = (what: string, words: (side: Totals) => string): Row => [what, words(before), words(after)]
  return [
    row('pass rate', ({ passed }) => `${percent(passed / cases)} (${passed} of ${cases})`),
    row('several runs', ({ repeats }) => describeRepeats(repeats)),
    row('time', (side) => formatSeconds(side.duration_seconds)),
    row('cost', formatCost),
    row('cost of the run', ({ run_cost: cost }) => (cost === null ? UNKNOWN : formatCost(cost))),
    row('tokens', ({ tokens }) => tokens?.toLocaleString('en-US') ?? UNKNOWN),
    ...lift.map((one): Row => [`lift ${show(one.target)}`, describeLift(one.before), describeLift(one.after)]),
  ].filter(([, ...sides]) => sides.some((side) => side !== UNKNOWN))
}

type Totals = Comparison['totals']['after']

function describeRepeats(repeats: Totals['repeats']): string {
  if (repeats === null) return UNKNOWN
  const { k, pass_at_k: some, pass_all_k: all } = repeats
  return `pass@${k} ${percent(some)}, pass^${k} ${percent(all)}`
}

function describeLift(lift: Comparison['lift'][number]['after']): string {
  if (lift === null || lift.difference === null) return UNKNOWN
  return `${formatPoints(lift.difference)} over ${plural(lift.cases, 'case')}, sign test p = ${lift.p_value ?? UNKNOWN}`
}

/** A cost of which a part may be unknown. */
export function formatCost({
  cost_usd: usd,
  unknown_cost_cases: unknownCases,
}: Pick<Totals, 'cost_usd' | 'unknown_cost_cases'>): string {
  return describeCost({ usd, unknownCases })
}

/** How many of the cases or runs passed. */
export function formatRate(
  { passed, completed, interval }: NonNullable<GateResult['pooled']>['after'],
  what: 'cases' | 'runs',
): string {
  if (completed === 0) return `unknown (no ${what} decided)`
  return `${percent(passed / completed)} (${passed} of ${completed} ${what}${boundsText('; ', interval)})`
}

/** The change of a rate with its interval; empty where there is none. */
export function formatChange({ change, interval }: Pick<GatedCase, 'change' | 'interval'>): string {
  if (change === null) return ''
  const bounds = interval === null ? '' : ` (${formatPoints(interval[0])} to ${formatPoints(interval[1])})`
  return `${formatPoints(change)}${bounds}`
}

/** A p-value of the pooled test. */
export function formatPooledTest({ p_value: p }: NonNullable<GateResult['pooled']>): string {
  return `p = ${formatP(p)}, one-sided, exact, by case`
}

/** Whether the model saw a text; empty where that is unknown. */
export function formatSeen(seen: boolean | null): string {
  return seen === null ? '' : seen ? '; the model saw it' : '; the model did not see it'
}

/** A p-value for reading. */
export function formatP(p: number): string {
  return p < 0.0001 ? '< 0.0001' : String(Number(p.toPrecision(2)))
}

const UNKNOWN = formatSeconds(null)
