import { kappaInterval, type Kappa } from '../statistics/kappa.ts'
import { percent } from '../statistics/round.ts'
import { wilsonInterval, type Interval } from '../statistics/wilson.ts'
import type { AuditEntry } from '../report/golden/audit-log.ts'

/** A share with the interval of the true one. */
export interface Share {
  readonly count: number
  readonly of: number
  readonly interval: Interval | null
}

/** How far a judge can be believed, by what people say of its decisions. */
export interface AuditStatistics {
  /** Labels of the judge as it is now. */
  readonly labels: number
  readonly agreement: Share
  /** Of what a person would pass, the share that the judge passed. */
  readonly truePositives: Share
  /** Of what a person would fail, the share that the judge failed. */
  readonly trueNegatives: Share
  /** Agreement beyond chance; `null` with fewer than 20 labels, or where it is not defined. */
  readonly kappa: Kappa | null
}

/** A judge whose labels count. */
export interface CurrentJudge {
  readonly model: string | null
  readonly hash: string
}

/** The last label of each decision. A later one corrects an earlier one. */
export function lastLabels(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  const labels = new Map<string, AuditEntry>()
  for (const entry of entries) if (entry.event !== 'sampled') labels.set(entry.decision, entry)
  return [...labels.values()]
}

/** Every judge that has labels, the last one first: another prompt makes another judge. */
export function labelledJudges(entries: readonly AuditEntry[]): readonly CurrentJudge[] {
  const judges = lastLabels(entries).map(({ judge_model: model, judge_hash: hash }) => ({ model, hash }))
  return [...new Map(judges.map((judge) => [JSON.stringify(judge), judge])).values()].toReversed()
}

/** Computes what the labels say of a judge. */
export function auditStatistics(entries: readonly AuditEntry[], judge: CurrentJudge): AuditStatistics {
  const labels = lastLabels(entries).filter(
    ({ judge_hash: hash, judge_model: model }) => hash === judge.hash && model === judge.model,
  )
  const count = (event: AuditEntry['event'], verdict: AuditEntry['verdict']): number =>
    labels.filter((entry) => entry.event === event && entry.verdict === verdict).length
  // Who disagrees with a verdict would have given the other one.
  const table = {
    bothPass: count('agree', 'pass'),
    bothFail: count('agree', 'fail'),
    judgePassed: count('disagree', 'pass'),
    judgeFailed: count('disagree', 'fail'),
  }
  return {
    labels: labels.length,
    agreement: share(table.bothPass + table.bothFail, labels.length),
    truePositives: share(table.bothPass, table.bothPass + table.judgeFailed),
    trueNegatives: share(table.bothFail, table.bothFail + table.judgePassed),
    kappa: labels.length < FEWEST_FOR_KAPPA ? null : kappaInterval(table),
  }
}

/** With fewer labels kappa says more about luck than about the judge. */
export const FEWEST_FOR_KAPPA = 20

/** A share of what was counted. */
export function share(count: number, of: number): Share {
  return { count, of, interval: wilsonInterval(count, of) }
}

/** A share for reading, such as `50% (1 of 2; 9% to 91%)`. `unit`: what is counted. */
export function describeShare({ count, of, interval }: Share, unit = 'label'): string {
  if (interval === null) return `unknown (no ${unit})`
  return `${percent(count / of)} (${count} of ${of}; ${percent(interval[0])} to ${percent(interval[1])})`
}
