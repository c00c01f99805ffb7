import { countTo } from '../../lib/lists.ts'
import { boundsText, passAll, passAt, percent, roundInterval, thousandths, wilsonInterval } from '../../lib/rates.ts'
import type { ReportRepeats } from '../report.ts'

/** How many runs were asked for, and how many of them have to pass. */
export interface AskedRuns {
  readonly runs: number
  /** Share of the completed runs. */
  readonly threshold: number
  /** How many of them were not made; absent where none may be left out. */
  readonly saved?: number
}

/**
 * Counts the runs of a case. When a case stops early depends on what its runs have shown, so there is no rate to show then;
 * what was written in advance has no chance in it.
 */
export function countRepeats(
  outcomes: readonly ('errored' | 'failed' | 'passed' | 'skipped')[],
  { runs, threshold, saved }: AskedRuns,
  isScripted: boolean,
): ReportRepeats {
  const count = (outcome: (typeof outcomes)[number]): number => outcomes.filter((one) => one === outcome).length
  const passed = count('passed')
  const completed = passed + count('failed')
  const isMeasured = saved === undefined && !isScripted
  const sizes = isMeasured ? countTo(completed) : []
  return {
    runs,
    ...(saved === undefined ? {} : { saved }),
    completed,
    passed,
    errors: count('errored'),
    rate: completed === 0 || saved !== undefined ? null : thousandths(passed / completed),
    interval: isMeasured ? roundInterval(wilsonInterval(passed, completed)) : null,
    threshold,
    pass_at_k: sizes.map((k) => thousandths(passAt(k, passed, completed) ?? 0)),
    pass_all_k: sizes.map((k) => thousandths(passAll(k, passed, completed) ?? 0)),
  }
}

/** The rate of several runs as a sentence, with what it takes to pass. */
export function describeRepeats({
  passed,
  completed,
  interval,
  threshold,
  runs,
  errors,
  saved,
}: ReportRepeats): string {
  if (completed === 0) return `None of the ${runs} runs completed.`
  const lost =
    errors === 0
      ? ''
      : ` ${errors} of ${runs} could not be completed and ${errors === 1 ? 'is' : 'are'} not in the rate.`
  const needed = threshold === 1 ? 'all have to' : `at least ${percent(threshold)} have to`
  // Percents of the counts: those of rounded shares would be rounded twice.
  const bounds = boundsText('; ', interval === null ? null : wilsonInterval(passed, completed))
  const shares = saved === undefined ? ` (${percent(passed / completed)}${bounds})` : ''
  const left = saved === undefined || saved === 0 ? '' : ` ${saved} of ${runs} runs were not needed.`
  return `${passed} of ${completed} runs passed${shares}, and ${needed}.${lost}${left}`
}
