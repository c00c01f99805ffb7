import { groupBy, sumOf } from '../../lib/lists.ts'
import { thousandths, wilsonInterval, type Interval } from '../../lib/rates.ts'
import type { ReportTriggers } from '../report.ts'
import { isScripted, type CaseResult, type CaseTrigger } from '../results/result.ts'
import { countConfusion } from '../statistics/tests.ts'

/** How often the queries for each skill made the agent use which skill. */
export interface TriggerMatrix {
  /** Skills that were used or expected, sorted. */
  readonly skills: readonly string[]
  readonly rows: readonly MatrixRow[]
}

/** The runs of all queries that ask for the same. */
export interface MatrixRow {
  /** The skill that the queries are for; `null`: any skill. */
  readonly skill: string | null
  /** Whether the queries should make the agent use it. */
  readonly shouldTrigger: boolean
  readonly queries: number
  /** Runs that count. A run in which several skills were used is in several columns. */
  readonly completed: number
  /** Runs in which it was used. */
  readonly fired: number
  /** Runs by the skill that was used. */
  readonly used: ReadonlyMap<string, number>
  /** Runs that are in no rate: they broke or took too long. */
  readonly lost: number
  readonly interval: Interval | null
}

/** Counts the runs of all trigger queries. Cases that were not completed only count as lost. */
export function buildTriggerMatrix(results: readonly Pick<CaseResult, 'trigger'>[]): TriggerMatrix {
  const parts = results.flatMap(({ trigger }) => trigger ?? [])
  // Sorts what should trigger before what should not.
  const groups = groupBy(parts, ({ skill, should_trigger: should }) => JSON.stringify([skill, !should]))
  const rows = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, group]) => rowOf(group))
  const skills = new Set(rows.flatMap(({ skill, used }) => [...(skill === null ? [] : [skill]), ...used.keys()]))
  return { skills: [...skills].toSorted(), rows }
}

function rowOf(parts: readonly CaseTrigger[]): readonly MatrixRow[] {
  const [first] = parts
  if (first === undefined) return []
  const { skill, should_trigger: shouldTrigger } = first
  const used = new Map<string, number>()
  const count = (name: string, runs: number): void => void used.set(name, (used.get(name) ?? 0) + runs)
  for (const { fired, internal } of parts) {
    // Queries for no skill list what was used all the same.
    if (skill !== null && fired > 0) count(skill, fired)
    for (const one of internal.firedInstead) count(one.skill, one.runs)
  }
  const sum = (of: (part: CaseTrigger) => number): number => sumOf(parts, (part) => of(part))
  const fired = sum((part) => part.fired)
  const completed = sum((part) => part.completed)
  const lost = sum(({ errors, timeouts }) => errors + timeouts)
  const counts = { queries: parts.length, completed, fired, used, lost }
  return [{ skill, shouldTrigger, ...counts, interval: wilsonInterval(fired, completed) }]
}

/** Queries that made the agent use another skill than theirs, most runs first. */
export function findStolenQueries(results: readonly Pick<CaseResult, 'trigger'>[]): readonly StolenQuery[] {
  return results
    .flatMap(({ trigger }) =>
      trigger?.should_trigger !== true || trigger.skill === null
        ? []
        : trigger.internal.firedInstead.map(({ skill, runs }) => ({
            query: trigger.internal.query,
            skill: trigger.skill ?? '',
            by: skill,
            runs,
            completed: trigger.completed,
          })),
    )
    .toSorted((a, b) => b.runs - a.runs)
}

/** A query whose skill another one took the place of. */
interface StolenQuery {
  readonly query: string
  readonly skill: string
  readonly by: string
  /** Runs in which that one was used instead. */
  readonly runs: number
  readonly completed: number
}

/** One confusion table for each suite with trigger queries and each model, over the runs that count: those that a model answered. */
export function buildConfusionTables(results: readonly CaseResult[]): readonly ReportTriggers[] {
  const measured = results.filter((result) => isWhole(result.trigger) && !isScripted(result))
  const groups = groupBy(measured, ({ suite, model = null }) => JSON.stringify([suite, model]))
  return [...groups.values()].map((group) => {
    const { suite = '', model = null } = group[0] ?? {}
    const queries = group.filter(({ outcome }) => outcome !== 'errored')
    const table = countConfusion(queries.flatMap(({ trigger }) => trigger ?? []))
    const skills = new Map<string, number>()
    for (const { trigger } of queries) {
      if (trigger?.should_trigger !== true) continue
      for (const { skill, runs } of trigger.internal.firedInstead) skills.set(skill, (skills.get(skill) ?? 0) + runs)
    }
    return {
      suite,
      model,
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

// When a query stops early depends on its runs, so they say nothing of a rate.
function isWhole(part: CaseTrigger | null): boolean {
  return part !== null && part.saved === undefined
}

function rounded(share: number | null): number | null {
  return share === null ? null : thousandths(share)
}
