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
