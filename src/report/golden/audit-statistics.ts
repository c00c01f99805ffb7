import { percent, wilsonInterval } from '../../lib/rates.ts'
import { kappaInterval, type Kappa } from '../statistics/tests.ts'
import type { AuditEntry } from './run-log.ts'

/** Whether an entry says what a person thinks of a decision. */
export function isLabel({ event }: AuditEntry): boolean {
  return event !== 'sampled'
}

/** Describes how far a judge can be believed, as rows of a table. */
export function describeLabels(labels: readonly AuditEntry[]): readonly (readonly [string, string])[] {
  const count = (event: AuditEntry['event'], verdict: AuditEntry['verdict']): number =>
    labels.filter((entry) => entry.event === event && entry.verdict === verdict).length
  // Who disagrees with a verdict would have given the other one.
  const [bothPass, bothFail] = [count('agree', 'pass'), count('agree', 'fail')]
  const [judgePassed, judgeFailed] = [count('disagree', 'pass'), count('disagree', 'fail')]
  const kappa = kappaInterval({ bothPass, bothFail, judgePassed, judgeFailed })
  return [
    ['Agreement', describeShare(bothPass + bothFail, labels.length)],
    ['Kappa', labels.length < FEWEST_FOR_KAPPA ? `not before ${FEWEST_FOR_KAPPA} labels` : describeKappa(kappa)],
  ]
}

/** With fewer labels kappa says more about luck than about the judge. */
const FEWEST_FOR_KAPPA = 20

function describeShare(count: number, of: number): string {
  const interval = wilsonInterval(count, of)
  if (interval === null) return 'unknown (no label)'
  return `${percent(count / of)} (${count} of ${of}; ${percent(interval[0])} to ${percent(interval[1])})`
}

function describeKappa(kappa: Kappa | null): string {
  if (kappa === null) return 'not defined: all answers are the same'
  return `${kappa.value.toFixed(2)} (${kappa.interval[0].toFixed(2)} to ${kappa.interval[1].toFixed(2)})`
}
