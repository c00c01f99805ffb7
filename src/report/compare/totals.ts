import { addCosts, microdollars } from '../../gateway/budget/spending.ts'
import { sumOf } from '../../lib/lists.ts'
import { passAll, passAt, thousandths } from '../../lib/rates.ts'
import type { Comparison } from './comparison-schema.ts'
import { tokensOf, type ReadCase, type ReadReport } from '../read-report.ts'
import { countOutcomes, isDecided, isScripted } from '../results/result.ts'
import type { CasePair } from './match-cases.ts'
import { whatDiffers } from './what-differs.ts'

type Totals = Comparison['totals']['after']

/** Sums over the cases that both sides have decided and that ask the same. */
export function totalsOf(
  pairs: readonly CasePair[],
  reports: readonly [before: ReadReport, after: ReadReport] | null,
): Comparison['totals'] {
  const compared = pairs.flatMap(([before, after]) =>
    before !== null &&
    after !== null &&
    isDecided(before) &&
    isDecided(after) &&
    whatDiffers(before, after).length === 0
      ? [{ before, after }]
      : [],
  )
  const total = (side: 'after' | 'before', report: ReadReport | undefined): Totals =>
    addUp(
      compared.map((one) => one[side]),
      report,
    )
  return { cases: compared.length, before: total('before', reports?.[0]), after: total('after', reports?.[1]) }
}

function addUp(cases: readonly ReadCase[], report: ReadReport | undefined): Totals {
  const { usd, unknownCases } = addCosts(
    cases.map((one) => ({ usd: one.cost_usd, knownUsd: one.cost_usd ?? one.cost?.known_usd ?? 0 })),
  )
  return {
    passed: countOutcomes(cases).passed,
    duration_seconds: sumKnown(cases.map((one) => one.duration_seconds)),
    cost_usd: cases.length === 0 || (usd === 0 && unknownCases > 0) ? null : microdollars(usd),
    unknown_cost_cases: unknownCases,
    tokens: sumKnown(cases.map(tokensOf)),
    repeats: repeatsOf(cases),
    run_cost:
      report === undefined
        ? null
        : { cost_usd: report.summary.cost_usd, unknown_cost_cases: report.summary.unknown_cost_cases ?? 0 },
  }
}

function sumKnown(values: readonly (number | null)[]): number | null {
  if (values.length === 0 || values.includes(null)) return null
  return Math.round(sumOf(values, (value) => value ?? 0) * 1e6) / 1e6
}

// The chance of k runs, for as many as every case has.
function repeatsOf(cases: readonly ReadCase[]): Totals['repeats'] {
  const tallies = cases.flatMap(({ repeats }) =>
    repeats === null || repeats.completed < 2 || repeats.saved !== null ? [] : repeats,
  )
  if (tallies.length === 0 || tallies.length < cases.length || cases.some(isScripted)) return null
  const k = Math.min(...tallies.map(({ completed }) => completed))
  const mean = (chance: typeof passAt): number =>
    thousandths(sumOf(tallies, ({ passed, completed }) => chance(k, passed, completed) ?? 0) / tallies.length)
  return { k, pass_at_k: mean(passAt), pass_all_k: mean(passAll) }
}

/** What each skill adds, in both reports. */
export function compareLift(before: ReadReport, after: ReadReport): Comparison['lift'] {
  const targets = [...new Set([...before.lift, ...after.lift].map(({ target }) => target))]
  return targets.map((target) => ({ target, before: liftOf(before, target), after: liftOf(after, target) }))
}

function liftOf({ lift }: ReadReport, name: string): Comparison['lift'][number]['after'] {
  const found = lift.find(({ target }) => target === name)
  if (found === undefined) return null
  const { cases, difference, p_value: p } = found
  return { cases, difference, p_value: p }
}
