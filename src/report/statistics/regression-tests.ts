import { sumOf } from '../../lib/lists.ts'
import { wilsonInterval, type Interval } from '../../lib/rates.ts'
import type { ReportTally } from '../report.ts'
import { SIGNIFICANT, logChoose } from './tests.ts'

/** The runs of one case before and after a change. */
export interface TallyPair {
  readonly before: ReportTally
  readonly after: ReportTally
}

/**
 * Exact test, one-sided (worse), stratified by case: how likely chance alone leaves as few passes after the change, if
 * the runs of each case could as well be of the other side. With one case it is Fisher's exact test.
 */
export function pooledTest(pairs: readonly TallyPair[]): number {
  let chances: readonly number[] = [1]
  let least = 0
  for (const { before, after } of pairs) {
    const passed = before.passed + after.passed
    const low = Math.max(0, passed - before.completed)
    const high = Math.min(after.completed, passed)
    const all = logChoose(before.completed + after.completed, passed)
    const ofPair = Array.from({ length: high - low + 1 }, (_, at) =>
      Math.exp(logChoose(after.completed, low + at) + logChoose(before.completed, passed - low - at) - all),
    )
    chances = convolve(chances, ofPair)
    least += low
  }
  const seen = sumOf(pairs, ({ after }) => after.passed)
  return Math.min(
    1,
    sumOf(chances.slice(0, seen - least + 1), (chance) => chance),
  )
}

function convolve(some: readonly number[], others: readonly number[]): readonly number[] {
  const result = Array.from({ length: some.length + others.length - 1 }, () => 0)
  for (const [at, one] of some.entries())
    for (const [further, other] of others.entries()) result[at + further] = (result[at + further] ?? 0) + one * other
  return result
}

/** p-values after the method of Holm, in the same order: one at or below a level keeps the whole family at that level. */
export function adjustByHolm(values: readonly number[]): readonly number[] {
  const order = values.map((p, at) => ({ p, at })).toSorted((one, other) => one.p - other.p)
  const adjusted: number[] = []
  let highest = 0
  for (const [rank, { p, at }] of order.entries()) {
    highest = Math.max(highest, Math.min(1, p * (values.length - rank)))
    adjusted[at] = highest
  }
  return adjusted
}

/** The change of a pass rate, after minus before. */
export function changeOf({ before, after }: TallyPair): number {
  return after.passed / after.completed - before.passed / before.completed
}

/**
 * Interval of the change of a pass rate at 95%, after minus before, by Newcombe's method (1998, number 10); `null` where
 * a side completed no run.
 */
export function changeInterval({ before, after }: TallyPair): Interval | null {
  const from = wilsonInterval(before.passed, before.completed)
  const to = wilsonInterval(after.passed, after.completed)
  if (from === null || to === null) return null
  const [a, b] = [before.passed / before.completed, after.passed / after.completed]
  return [b - a - Math.hypot(b - to[0], from[1] - a), b - a + Math.hypot(to[1] - b, a - from[0])]
}

/** How the level is spent on the two ways to fail, and what they can find at all. It depends on numbers of runs alone. */
export interface Detectable {
  /** Level of the pooled test. */
  readonly pooled_level: number
  /** Level of the single cases together; 0 where none can reach it, and the pooled test has the whole level then. */
  readonly single_level: number
  /** The least p-value that a single case can have. */
  readonly best_single_p_value: number
  /** The same after Holm over all cases. */
  readonly best_adjusted_p_value: number
  /** The least drop of the rate of all runs, from 0 to 1, at which the pooled test can fail; `null`: it cannot. */
  readonly least_drop: number | null
}

/** Says beforehand what tests over that many runs of each case can find. */
export function planTests(sizes: readonly (readonly [before: number, after: number])[]): Detectable {
  const bests = sizes.map(([before, after]) => bestOf(before, after))
  const best = Math.min(1, ...bests)
  const adjusted = Math.min(1, best * sizes.length)
  // A single case is what the pooled test tests anyway.
  const canSingle = sizes.length > 1 && adjusted <= SIGNIFICANT * SINGLE_SHARE
  const pooledLevel = canSingle ? SIGNIFICANT * (1 - SINGLE_SHARE) : SIGNIFICANT
  return {
    pooled_level: pooledLevel,
    single_level: canSingle ? SIGNIFICANT * SINGLE_SHARE : 0,
    best_single_p_value: best,
    best_adjusted_p_value: adjusted,
    least_drop: leastDropOf(sizes, pooledLevel),
  }
}

/** The part of the level that is for single cases; the pooled test has the rest. */
export const SINGLE_SHARE = 0.2

function bestOf(before: number, after: number): number {
  return Math.exp(-logChoose(before + after, after))
}

// All passed before, and failures are spread evenly afterwards: the fewest of them that the pooled test takes for more
// than chance. Nothing is less likely than such a table, so its chance alone is the p-value.
function leastDropOf(sizes: Parameters<typeof planTests>[0], level: number): number | null {
  const runs = sumOf(sizes, ([, after]) => after)
  let chance = 0
  let failures = 0
  for (let round = 1; failures < runs; round++)
    for (const size of sizes) {
      if (size[1] < round) continue
      chance += chanceOf(size, round) - chanceOf(size, round - 1)
      failures += 1
      if (reaches(Math.exp(chance), level)) return failures / runs
    }
  return null
}

// Logarithm of the chance that all failures of a case are after the change.
function chanceOf([before, after]: readonly [number, number], failures: number): number {
  return logChoose(after, failures) - logChoose(before + after, failures)
}

/** Whether a p-value reaches a level. Floating-point numbers miss 1 of 20 by a hair. */
export function reaches(p: number, level: number): boolean {
  return level > 0 && p <= level + ROUNDING
}

const ROUNDING = 1e-12
