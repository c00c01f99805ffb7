import { SIGNIFICANT, measureNoise } from '../statistics/tests.ts'
import {
  adjustByHolm,
  planTests,
  pooledTest,
  reaches,
  signTestWorse,
  type Detectable,
  type TallyPair,
} from '../statistics/regression-tests.ts'
import { percent, wilsonInterval, type Interval } from '../../lib/rates.ts'
import { sumOf } from '../../lib/lists.ts'
import { compareArms, talliesOf, type ComparedPair } from './compare-arms.ts'
import type { ReadReport } from '../read-report.ts'

/** What a gate found. It is printed by `gate --json`, and has a schema of its own. */
export interface GateResult {
  readonly version: 1
  /** `incomplete`: cases are missing, newly errored, changed or not comparable, or none could be tested. */
  readonly verdict: 'failed' | 'incomplete' | 'passed'
  readonly exit_code: 0 | 1 | 2
  readonly before: GatedReport
  readonly after: GatedReport
  /** How often at most a change that does nothing fails the gate. */
  readonly level: number
  /** What so many runs can find, known before any result. */
  readonly plan: GatePlan
  readonly pooled: PooledResult | null
  /** Over the tested cases whose rate moved, one-sided. */
  readonly sign_test: {
    readonly better: number
    readonly worse: number
    readonly same: number
    readonly p_value: number
  }
  readonly cases: readonly GatedCase[]
  readonly notices: readonly string[]
}

export interface GatedReport {
  readonly id: string | null
  readonly timestamp: string | null
  readonly status: string | null
}

export interface GatePlan {
  readonly cases: number
  readonly runs_before: number
  readonly runs_after: number
  readonly pooled_level: number
  readonly single_level: number
  readonly best_single_p_value: number
  readonly best_adjusted_p_value: number
  readonly least_drop: number | null
  /** The same in words. */
  readonly says: readonly string[]
}

/** All tested cases together. */
export interface PooledResult {
  readonly before: Rate
  readonly after: Rate
  /** Rate before minus rate after. */
  readonly drop: number
  readonly p_value: number
  /** The largest drop that is noise by the runs of the report before; `null` where no case was run twice. */
  readonly noise_floor: number | null
  readonly regressed: boolean
}

export interface Rate {
  readonly passed: number
  readonly completed: number
  readonly interval: Interval | null
}

export interface GatedCase extends ComparedPair {
  /** Fisher's exact test over its runs, one-sided; `null` where it is not tested. */
  readonly p_value: number | null
  /** The same after Holm over all tested cases. */
  readonly adjusted_p_value: number | null
  /** Whether it alone is a regression that is more than noise. */
  readonly regressed: boolean
}

/** Decides whether one report is worse than another by more than noise. */
export function gateReports(before: ReadReport, after: ReadReport): GateResult {
  const pairs = compareArms(before, after)
  const tested = pairs.flatMap((pair) => talliesOf(pair) ?? [])
  const plan = planTests(tested.map(({ before: was, after: is }) => [was.completed, is.completed]))
  const cases = testCases(pairs, plan)
  const pooled = poolCases(tested, plan)
  const open = cases.filter(({ status }) => OPEN.has(status))
  const isRegression = pooled?.regressed === true || cases.some(({ regressed }) => regressed)
  const verdict = open.length > 0 || pooled === null ? 'incomplete' : isRegression ? 'failed' : 'passed'
  return {
    version: 1,
    verdict,
    exit_code: EXIT_CODES[verdict],
    before: nameReport(before),
    after: nameReport(after),
    level: SIGNIFICANT,
    plan: wordPlan(tested, plan),
    pooled,
    sign_test: testSigns(tested),
    cases,
    notices: pooled === null ? ['No case was decided in both reports and can be tested, so nothing is known.'] : [],
  }
}

const EXIT_CODES = { passed: 0, failed: 1, incomplete: 2 } as const

/** What leaves a gate without an answer. */
export const OPEN: ReadonlySet<ComparedPair['status']> = new Set(['changed', 'errored', 'missing', 'mixed'])

function nameReport({ id, timestamp, status }: ReadReport): GatedReport {
  return { id, timestamp, status }
}

function testCases(pairs: readonly ComparedPair[], { singleLevel, pooledLevel }: Detectable): readonly GatedCase[] {
  const values = pairs.flatMap((pair) => {
    const tallies = talliesOf(pair)
    return tallies === null ? [] : [{ pair, p: pooledTest([tallies]) }]
  })
  const adjusted = adjustByHolm(values.map(({ p }) => p))
  const tests = new Map(values.map(({ pair, p }, at) => [pair, { p, by: adjusted[at] ?? 1 }]))
  // A single case is all that the pooled test tests.
  const level = values.length === 1 ? pooledLevel : singleLevel
  return pairs.map((pair) => {
    const { p = null, by = null } = tests.get(pair) ?? {}
    return { ...pair, p_value: p, adjusted_p_value: by, regressed: by !== null && reaches(by, level) }
  })
}

function poolCases(tested: readonly TallyPair[], { pooledLevel }: Detectable): PooledResult | null {
  if (tested.length === 0) return null
  const [before, after] = [rateOf(tested.map((one) => one.before)), rateOf(tested.map((one) => one.after))]
  const drop = -sumOf(tested, changeOf) / tested.length
  const runs = Math.min(...tested.flatMap((one) => [one.before.completed, one.after.completed]))
  const floor = measureNoise(
    tested.map((one) => one.before),
    runs,
  )?.floor
  const p = pooledTest(tested)
  const isBeyondNoise = drop > (floor ?? 0)
  return {
    before,
    after,
    drop,
    p_value: p,
    noise_floor: floor ?? null,
    regressed: reaches(p, pooledLevel) && isBeyondNoise,
  }
}

function changeOf({ before, after }: TallyPair): number {
  return after.passed / after.completed - before.passed / before.completed
}

function rateOf(tallies: readonly TallyPair['before'][]): Rate {
  const passed = sumOf(tallies, (one) => one.passed)
  const completed = sumOf(tallies, (one) => one.completed)
  return { passed, completed, interval: wilsonInterval(passed, completed) }
}

function testSigns(tested: readonly TallyPair[]): GateResult['sign_test'] {
  const better = tested.filter((one) => changeOf(one) > 0).length
  const worse = tested.filter((one) => changeOf(one) < 0).length
  return { better, worse, same: tested.length - better - worse, p_value: signTestWorse(better, worse) }
}

function wordPlan(tested: readonly TallyPair[], plan: Detectable): GatePlan {
  const runs = (count: (one: TallyPair) => number): number => sumOf(tested, count)
  return {
    cases: tested.length,
    runs_before: runs(({ before }) => before.completed),
    runs_after: runs(({ after }) => after.completed),
    pooled_level: plan.pooledLevel,
    single_level: plan.singleLevel,
    best_single_p_value: plan.bestSingle,
    best_adjusted_p_value: plan.bestAdjusted,
    least_drop: plan.leastDrop,
    says: tested.length === 0 ? [] : sayPlan(tested.length, plan),
  }
}

/** Says in words what tests can find, before anything is run or paid. */
export function sayPlan(cases: number, plan: Detectable): readonly string[] {
  const { bestSingle, bestAdjusted, leastDrop, pooledLevel, singleLevel } = plan
  const single =
    cases === 1
      ? `One case: one-sided p = ${formatP(bestSingle)} at best.`
      : singleLevel > 0
        ? `A single case can fail: p = ${formatP(bestAdjusted)} at best after Holm over ${cases} cases, at the level ${singleLevel}.`
        : `No single case can fail: p = ${formatP(bestAdjusted)} at best after Holm over ${cases} cases.`
  const pooled =
    leastDrop === null
      ? `This gate cannot fail: with so few runs the pooled test never reaches the level ${pooledLevel}. Run more cases, or each more often (--runs).`
      : `The pooled test can fail from a drop of ${percent(leastDrop).replace('%', ' points')}, at the level ${pooledLevel}.`
  return [single, pooled]
}

/** A p-value for reading. */
export function formatP(p: number): string {
  return p < 0.0001 ? '< 0.0001' : String(Number(p.toPrecision(2)))
}
