import { percent } from '../../statistics/round.ts'
import { sum } from '../../lists.ts'
import type { SummaryRow } from './format-lift.ts'
import type { ReportCase } from '../report.ts'

/** What several runs of the cases have shown: runs that passed, and the chance of k runs for the largest k that all have. */
export function formatRepeats(cases: readonly ReportCase[]): readonly SummaryRow[] {
  const repeated = cases.flatMap(({ repeats }) => (repeats === null || repeats.completed === 0 ? [] : [repeats]))
  if (repeated.length === 0) return []
  const passed = sum(repeated.map((one) => one.passed))
  const completed = sum(repeated.map((one) => one.completed))
  const runs = `${passed} of ${completed} passed (${percent(passed / completed)})`
  const k = Math.min(...repeated.map((one) => one.completed))
  if (k < 2) return [['Runs', runs]]
  const mean = (of: (one: (typeof repeated)[number]) => readonly number[]): string =>
    percent(sum(repeated.map((one) => of(one)[k - 1] ?? 0)) / repeated.length)
  const any = mean(({ pass_at_k: shares }) => shares)
  const all = mean(({ pass_all_k: shares }) => shares)
  return [['Runs', `${runs}; pass@${k} ${any}, pass^${k} ${all}`]]
}
