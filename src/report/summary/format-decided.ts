import { sumOf } from '../../lists.ts'
import { toPrintableLine } from '../../results/printable.ts'
import type { ReportCase } from '../report.ts'

/** What decided the runs of trigger queries; empty where there are none. */
export function formatDecided(cases: readonly ReportCase[]): readonly (readonly [string, string])[] {
  const runs = cases.flatMap((entry) => entry.runs ?? [])
  const parts = WAYS.flatMap(([by, words]) => {
    const count = runs.filter(({ decided_by: decided }) => decided === by).length
    return count === 0 ? [] : [`${count} by ${words}`]
  })
  const undecided = sumOf(cases, ({ trigger }) => trigger?.undecided ?? 0)
  const compared = runs.filter(({ verified }) => typeof verified === 'boolean')
  const agreed = compared.filter(({ verified }) => verified === true).length
  const counts = [...parts, ...(undecided === 0 ? [] : [`${undecided} undecided`])]
  return [
    ...(counts.length === 0 ? [] : [['Decided', counts.join(', ')] as const]),
    ...reasonsOf(runs).map((line) => ['', line] as const),
    ...(compared.length === 0
      ? []
      : [['Verified', `${agreed} of ${compared.length} runs agree with a full session`] as const]),
  ]
}

/** Why runs were full sessions or are undecided, the most frequent reason first: a person should not have to open the report. */
function reasonsOf(runs: NonNullable<ReportCase['runs']>): readonly string[] {
  const counts = new Map<string, number>()
  for (const { decided_by: by, decided_because: because } of runs) {
    if (because === null || (by !== null && by !== 'full')) continue
    const reason = `${by ?? 'undecided'}: ${shortened(toPrintableLine(because))}`
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const all = [...counts].toSorted(([, one], [, other]) => other - one)
  const shown = all.slice(0, MOST_REASONS).map(([reason, n]) => `${n} ${reason}`)
  return all.length > shown.length ? [...shown, `and ${all.length - shown.length} more`] : shown
}

function shortened(text: string): string {
  return text.length <= LONGEST_REASON ? text : `${text.slice(0, LONGEST_REASON)}…`
}

const MOST_REASONS = 3
const LONGEST_REASON = 300

const WAYS = [
  ['probe', 'the first model turn'],
  ['probe+full', 'the first turn and the rest of its session'],
  ['full', 'a full session'],
] as const
