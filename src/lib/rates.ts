/** A share with two decimals. Rounded to the nearest, but 1 is only what is whole. */
export function hundredths(share: number): number {
  return round(share, 100)
}

/** A share with three decimals, by the same rule. */
export function thousandths(share: number): number {
  return round(share, 1000)
}

/** An interval of shares, each with three decimals; `null` stays `null`. */
export function roundInterval(interval: Interval | null): Interval | null {
  return interval === null ? null : [thousandths(interval[0]), thousandths(interval[1])]
}

/** A share as people read it, such as `67%`: `0%` only where it is nothing, `100%` only where it is all. */
export function percent(share: number): string {
  const rounded = Math.round(hundredths(share) * 100)
  return rounded === 0 && share > 0 ? '<1%' : `${rounded}%`
}

/** A difference of shares as people read it, such as `+50 points`. */
export function formatPoints(difference: number): string {
  const points = Math.round(difference * 100)
  return `${points > 0 ? '+' : ''}${points} points`
}

// Of 199 out of 200 one failed: that is no 100%.
function round(share: number, parts: number): number {
  const rounded = Math.round(share * parts) / parts
  return Math.abs(share) < 1 && Math.abs(rounded) === 1 ? (Math.sign(share) * (parts - 1)) / parts : rounded
}

/** Interval of the true share, by a method that holds for few trials. */
export type Interval = readonly [low: number, high: number]

/** An interval as people read it, after `before`; empty where there is none. */
export function boundsText(before: string, interval: Interval | null): string {
  return interval === null ? '' : `${before}95% interval ${percent(interval[0])} to ${percent(interval[1])}`
}

/**
 * Wilson's score interval of a share at 95%; `null` where nothing was tried. Unlike the usual one it never claims
 * certainty: 3 of 3 are 44% to 100%.
 */
export function wilsonInterval(successes: number, trials: number): Interval | null {
  if (trials === 0) return null
  const share = successes / trials
  const denominator = 1 + Z2 / trials
  const centre = (share + Z2 / (2 * trials)) / denominator
  const half = (Z / denominator) * Math.sqrt((share * (1 - share)) / trials + Z2 / (4 * trials * trials))
  // Exact at the ends, where floating-point numbers miss by a hair.
  const low = successes === 0 ? 0 : Math.max(0, centre - half)
  const high = successes === trials ? 1 : Math.min(1, centre + half)
  return [low, high]
}

const Z = 1.959963984540054
/** Square of the quantile of the normal distribution that an interval at 95% has. */
export const Z2 = Z * Z

/**
 * Chance that at least one of `k` runs passes, estimated without bias from `passed` of `runs` (Chen et al. 2021):
 * 1 - C(runs - passed, k) / C(runs, k). `null` where fewer than `k` were completed.
 */
export function passAt(k: number, passed: number, runs: number): number | null {
  return runs < k ? null : 1 - shareWithout(k, passed, runs)
}

/**
 * Chance that all of `k` runs pass, estimated without bias from `passed` of `runs` (tau-bench): C(passed, k) / C(runs, k).
 * `null` where fewer than `k` were completed.
 */
export function passAll(k: number, passed: number, runs: number): number | null {
  return runs < k ? null : shareWithout(k, runs - passed, runs)
}

// The share of all choices of k runs in which none is one of the `excluded`: a product, since the binomials overflow.
function shareWithout(k: number, excluded: number, runs: number): number {
  let share = 1
  for (let taken = 0; taken < k; taken++) share *= Math.max(0, runs - excluded - taken) / (runs - taken)
  return share
}
