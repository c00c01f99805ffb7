import { fisherTest } from '../../statistics/exact-tests.ts'
import { passAll, passAt } from '../../statistics/pass-at.ts'
import { wilsonInterval, type Interval } from '../../statistics/wilson.ts'
import { thousandths } from '../../statistics/round.ts'
import { sum } from '../../lists.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'

/** What the runs of one side's cases have shown. */
export interface RunsSide {
  readonly passed: number
  readonly completed: number
  readonly interval: Interval
  /** How many runs the two chances are of: as many as every case has. */
  readonly k: number
  readonly pass_at_k: number
  readonly pass_all_k: number
}

/** What a skill adds in one report and in the other. */
export interface LiftDiff {
  readonly target: string
  readonly a: Pick<ReadReport['lift'][number], 'cases' | 'difference' | 'p_value'> | null
  readonly b: Pick<ReadReport['lift'][number], 'cases' | 'difference' | 'p_value'> | null
}

/** Sums up the runs of cases; `null` where a case was run only once. */
export function sumRuns(cases: readonly ReadCase[]): RunsSide | null {
  const tallies = cases.flatMap(({ repeats }) => ((repeats?.completed ?? 0) < 2 ? [] : (repeats ?? [])))
  if (tallies.length === 0 || tallies.length < cases.length) return null
  const k = Math.min(...tallies.map(({ completed }) => completed))
  const passed = sum(tallies.map((one) => one.passed))
  const completed = sum(tallies.map((one) => one.completed))
  const [low, high] = wilsonInterval(passed, completed) ?? [0, 1]
  const mean = (chance: (one: NonNullable<ReadCase['repeats']>) => number | null): number =>
    thousandths(sum(tallies.map((one) => chance(one) ?? 0)) / tallies.length)
  return {
    passed,
    completed,
    interval: [thousandths(low), thousandths(high)],
    k,
    pass_at_k: mean((one) => passAt(k, one.passed, one.completed)),
    pass_all_k: mean((one) => passAll(k, one.passed, one.completed)),
  }
}

/** How likely chance alone makes the runs of a case as different as that: Fisher's exact test, two-sided. */
export function compareRuns(before: ReadCase | null, after: ReadCase | null): number | null {
  const [a, b] = [before?.repeats ?? null, after?.repeats ?? null]
  if (a === null || b === null || a.completed === 0 || b.completed === 0) return null
  return thousandths(fisherTest(a, b))
}

/** What each skill adds, in both reports. */
export function diffLift(a: ReadReport, b: ReadReport): readonly LiftDiff[] {
  const targets = [...new Set([...a.lift, ...b.lift].map(({ target }) => target))]
  return targets.map((target) => ({ target, a: liftOf(a, target), b: liftOf(b, target) }))
}

function liftOf({ lift }: ReadReport, wanted: string): LiftDiff['a'] {
  const found = lift.find(({ target }) => target === wanted)
  if (found === undefined) return null
  const { cases, difference, p_value: p } = found
  return { cases, difference, p_value: p }
}
