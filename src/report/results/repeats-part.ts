import { countTo } from '../../lib/lists.ts'
import { boundsText, passAll, passAt, percent, wilsonInterval, type Interval } from '../../lib/rates.ts'

/** What several runs of one case have shown together. */
export interface RepeatsPart {
  /** Runs that were asked for. */
  readonly runs: number
  /** Runs that passed or failed: the others are in no rate. */
  readonly completed: number
  readonly passed: number
  /** Runs that could not be completed. */
  readonly errors: number
  /** Passed of completed; `null` when none completed. */
  readonly rate: number | null
  /** `null` when none completed, or where answers were written in advance. */
  readonly interval: Interval | null
  /** Share of the completed runs that has to pass. */
  readonly threshold: number
  /**
   * Runs that were not made, since none of them could change the verdict. Given where a case may stop early: when it does
   * depends on what its runs have shown, so there is no rate to show.
   */
  readonly saved?: number
  /** Chance that at least one of 1, 2, ... runs passes, as far as runs were completed; none where answers were written in advance. */
  readonly passAt: readonly number[]
  /** Chance that all of 1, 2, ... runs pass. */
  readonly passAll: readonly number[]
}

/** Counts the runs of a case. */
export function countRepeats(
  outcomes: readonly ('errored' | 'failed' | 'passed' | 'skipped')[],
  runs: number,
  threshold: number,
): RepeatsPart {
  const count = (outcome: (typeof outcomes)[number]): number => outcomes.filter((one) => one === outcome).length
  const passed = count('passed')
  const completed = passed + count('failed')
  const sizes = countTo(completed)
  return {
    runs,
    completed,
    passed,
    errors: count('errored'),
    rate: completed === 0 ? null : passed / completed,
    interval: wilsonInterval(passed, completed),
    threshold,
    passAt: sizes.map((k) => passAt(k, passed, completed) ?? 0),
    passAll: sizes.map((k) => passAll(k, passed, completed) ?? 0),
  }
}

/** The rate of several runs as a sentence, with what it takes to pass. */
export function describeRepeats(part: RepeatsPart): string {
  const { passed, completed, rate, interval, threshold, runs, errors, saved } = part
  if (rate === null) return `None of the ${runs} runs completed.`
  const lost =
    errors === 0
      ? ''
      : ` ${errors} of ${runs} could not be completed and ${errors === 1 ? 'is' : 'are'} not in the rate.`
  const needed = threshold === 1 ? 'all have to' : `at least ${percent(threshold)} have to`
  const shares = saved === undefined ? ` (${percent(rate)}${boundsText('; ', interval)})` : ''
  const left = saved === undefined || saved === 0 ? '' : ` ${saved} of ${runs} runs were not needed.`
  return `${passed} of ${completed} runs passed${shares}, and ${needed}.${lost}${left}`
}
