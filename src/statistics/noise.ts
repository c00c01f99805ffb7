import { sum } from '../lists.ts'
import type { Tally } from './exact-tests.ts'

/** How much verdicts move on inputs that are the same. */
export interface Noise {
  /** Cases with at least two completed runs. */
  readonly cases: number
  /** Of these the ones that came out both ways. */
  readonly flipped: number
  /** Chance that two runs of a case differ, averaged over cases: estimated without bias from all pairs of its runs. */
  readonly disagreement: number
  /**
   * The largest difference between the pass rates of two passes over these cases that chance alone makes in 95 of 100:
   * what a change has to exceed. Computed exactly from the cases' own disagreements.
   */
  readonly floor: number
}

/**
 * Measures the noise of runs on equal inputs; `null` where no case was run twice. The floor is that of passes with so many
 * runs of each case.
 */
export function measureNoise(tallies: readonly Tally[], runs = 1): Noise | null {
  const repeated = tallies.filter(({ completed }) => completed >= 2)
  if (repeated.length === 0) return null
  const disagreements = repeated.map(disagreementOf)
  return {
    cases: repeated.length,
    flipped: repeated.filter(({ passed, completed }) => passed > 0 && passed < completed).length,
    disagreement: sum(disagreements) / repeated.length,
    floor: largestByChance(disagreements.flatMap((one) => Array<number>(runs).fill(one))) / (repeated.length * runs),
  }
}

function disagreementOf({ passed, completed }: Tally): number {
  return (2 * passed * (completed - passed)) / (completed * (completed - 1))
}

// Each case moves the sum of passes by -1, 0 or 1; together they make a distribution that is symmetric around 0.
function largestByChance(disagreements: readonly number[]): number {
  let chances = [1]
  for (const disagreement of disagreements) {
    if (disagreement === 0) continue
    const half = disagreement / 2
    const next = Array<number>(chances.length + 2).fill(0)
    for (const [at, chance] of chances.entries()) {
      next[at] = (next[at] ?? 0) + half * chance
      next[at + 1] = (next[at + 1] ?? 0) + (1 - disagreement) * chance
      next[at + 2] = (next[at + 2] ?? 0) + half * chance
    }
    chances = next
  }
  const middle = (chances.length - 1) / 2
  let within = 0
  for (let difference = 0; difference <= middle; difference++) {
    within += (chances[middle + difference] ?? 0) * (difference === 0 ? 1 : 2)
    if (within >= COVERED - 1e-12) return difference
  }
  return middle
}

const COVERED = 0.95
