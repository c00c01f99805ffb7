import { comparePair, talliesOf, type ComparedPair } from './compare-case.ts'
import type { GatedCase, GateResult } from './comparison-schema.ts'
import type { CasePair } from './match-cases.ts'
import { comparedVerdict } from './verdicts.ts'
import { describePower } from './words.ts'
import { sumOf } from '../../lib/lists.ts'
import { wilsonInterval } from '../../lib/rates.ts'
import type { ReadReport } from '../read-report.ts'
import {
  adjustByHolm,
  changeOf,
  planTests,
  pooledTest,
  reaches,
  type Detectable,
  type TallyPair,
} from '../statistics/regression-tests.ts'
import { SIGNIFICANT } from '../statistics/tests.ts'

/**
 * Tests the cases of two sides together, and each one alone.
 *
 * @param deleted - cases of the side before that are in no file any more.
 */
export function testPairs(
  pairs: readonly CasePair[],
  [before, after]: readonly [before: ReadReport, after: ReadReport],
  deleted: readonly ComparedPair[] = [],
): GateResult {
  const compared = [...pairs.map(comparePair), ...deleted]
  const tested = compared.flatMap((pair) => talliesOf(pair) ?? [])
  const plan = planTests(tested.map((one) => [one.before.completed, one.after.completed]))
  const cases = testCases(compared, plan)
  // A tested case without an interval has answers that somebody wrote.
  const isMeasured = compared.every((pair) => talliesOf(pair) === null || pair.interval !== null)
  const pooled = poolCases(tested, plan.pooled_level, isMeasured)
  const verdict = comparedVerdict({ cases, pooled })
  return {
    version: 1,
    verdict,
    exit_code: EXIT_CODES[verdict],
    before: nameReport(before),
    after: nameReport(after),
    level: SIGNIFICANT,
    plan: {
      cases: tested.length,
      runs_before: sumOf(tested, (one) => one.before.completed),
      runs_after: sumOf(tested, (one) => one.after.completed),
      ...plan,
      says: tested.length === 0 ? [] : describePower(tested.length, plan),
    },
    pooled,
    cases,
    budgets: [],
    notices: pooled === null ? ['No case was decided in both reports and can be tested, so nothing is known.'] : [],
  }
}

/** The exit code of a gate. */
export const EXIT_CODES = { passed: 0, failed: 1, incomplete: 2 } as const

function nameReport({ id, timestamp, status }: ReadReport): GateResult['after'] {
  return { id, timestamp, status }
}

function testCases(pairs: readonly ComparedPair[], plan: Detectable): readonly GatedCase[] {
  const values = pairs.flatMap((pair) => {
    const tallies = talliesOf(pair)
    return tallies === null ? [] : [{ pair, p: pooledTest([tallies]) }]
  })
  const adjusted = adjustByHolm(values.map(({ p }) => p))
  const tests = new Map(values.map(({ pair, p }, at) => [pair, { p, by: adjusted[at] ?? 1 }]))
  // A single case is all that the pooled test tests.
  const level = values.length === 1 ? plan.pooled_level : plan.single_level
  return pairs.map((pair) => {
    const { p = null, by = null } = tests.get(pair) ?? {}
    return { ...pair, p_value: p, adjusted_p_value: by, regressed: by !== null && reaches(by, level) }
  })
}

function poolCases(tested: readonly TallyPair[], level: number, isMeasured: boolean): GateResult['pooled'] {
  if (tested.length === 0) return null
  const rate = (side: keyof TallyPair): NonNullable<GateResult['pooled']>['after'] => {
    const passed = sumOf(tested, (one) => one[side].passed)
    const completed = sumOf(tested, (one) => one[side].completed)
    return { passed, completed, interval: isMeasured ? wilsonInterval(passed, completed) : null }
  }
  const p = pooledTest(tested)
  return {
    before: rate('before'),
    after: rate('after'),
    drop: -sumOf(tested, changeOf) / tested.length,
    p_value: p,
    regressed: reaches(p, level),
  }
}
