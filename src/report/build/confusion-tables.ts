import { thousandths } from '../../statistics/round.ts'
import { countConfusion } from '../../statistics/confusion.ts'
import type { ReportTriggers } from '../report.ts'
import { isScripted, type CaseResult } from '../../results/result.ts'

/** One confusion table for each suite with trigger queries, over the runs that count: those that a model answered. */
export function buildConfusionTables(results: readonly CaseResult[]): readonly ReportTriggers[] {
  const measured = results.filter((result) => result.trigger !== null && !isScripted(result))
  const suites = new Set(measured.map(({ suite }) => suite))
  return [...suites].map((suite) => {
    const queries = measured.filter((result) => result.suite === suite && result.outcome !== 'errored')
    const table = countConfusion(queries.flatMap(({ trigger }) => trigger ?? []))
    const skills = new Map<string, number>()
    for (const { trigger } of queries) {
      if (trigger?.shouldTrigger !== true) continue
      for (const { skill, runs } of trigger.firedInstead) skills.set(skill, (skills.get(skill) ?? 0) + runs)
    }
    return {
      suite,
      queries: queries.length,
      true_positives: table.truePositives,
      false_positives: table.falsePositives,
      true_negatives: table.trueNegatives,
      false_negatives: table.falseNegatives,
      precision: rounded(table.precision),
      recall: rounded(table.recall),
      fired_instead: Object.fromEntries([...skills].toSorted((a, b) => b[1] - a[1])),
    }
  })
}

function rounded(share: number | null): number | null {
  return share === null ? null : thousandths(share)
}
