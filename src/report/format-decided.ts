import type { ReportCase } from './report.ts'

/** What decided the runs of trigger queries; empty where there are none. */
export function formatDecided(cases: readonly ReportCase[]): readonly (readonly [string, string])[] {
  const runs = cases.flatMap((entry) => entry.runs ?? [])
  const parts = WAYS.flatMap(([by, words]) => {
    const count = runs.filter(({ decided_by: decided }) => decided === by).length
    return count === 0 ? [] : [`${count} by ${words}`]
  })
  const undecided = cases.reduce((sum, { trigger }) => sum + (trigger?.undecided ?? 0), 0)
  const compared = runs.filter(({ verified }) => typeof verified === 'boolean')
  const agreed = compared.filter(({ verified }) => verified === true).length
  return [
    ...(parts.length === 0
      ? []
      : [['Decided', [...parts, ...(undecided === 0 ? [] : [`${undecided} undecided`])].join(', ')] as const]),
    ...(compared.length === 0
      ? []
      : [['Verified', `${agreed} of ${compared.length} runs agree with a full session`] as const]),
  ]
}

const WAYS = [
  ['probe', 'the first model turn'],
  ['probe+full', 'the first turn and the rest of its session'],
  ['full', 'a full session'],
] as const
