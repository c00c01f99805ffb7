/** Interval of the true share, by a method that holds for few trials. */
export type Interval = readonly [low: number, high: number]

/**
 * Wilson's score interval of a share at 95 %; `null` where nothing was tried. Unlike the usual one it never claims
 * certainty: 3 of 3 are 44 % to 100 %.
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
const Z2 = Z * Z
