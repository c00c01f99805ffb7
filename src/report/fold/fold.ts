import { relative } from 'node:path'
import type { JournalEntry } from '../results/journal.ts'
import type { JournalContent } from '../results/read-journal.ts'
import { addSpending, hasSpent, spendingOf } from '../results/case-spending.ts'
import { runsOf } from '../results/combine-runs.ts'
import { describeUnpriced, type AskedModel, type ModelPrices } from '../../gateway/budget/price.ts'
import { wireOfJudge } from '../../judges/providers/registry.ts'
import { compareTexts } from '../../lib/text.ts'
import {
  NOT_RUN,
  isDecided,
  isNotRun,
  resultWithoutRun,
  type CaseResult,
  type PlannedCase,
  type ReportStatus,
} from '../results/result.ts'
import type { PlannedReport, RunEnd, RunPlan } from '../results/run-folder.ts'

/** One run folder as it was read. A merge folds those of several machines. */
export interface StoredRun {
  readonly plan: RunPlan
  readonly journal: JournalContent
  /** Wall time of the run by a clock that does not jump; without it, the span of the journal. */
  readonly durationMs?: number
}

/** What one report is built from. */
export interface FoldedReport {
  readonly planned: PlannedReport
  readonly status: ReportStatus
  readonly run: string
  readonly startedAt: string
  readonly durationMs: number
  /** Hash of what was planned, by which shards know each other; `null` when it is unknown. */
  readonly plan: string | null
  /** Every planned case exactly once, by suite file and line. */
  readonly results: readonly CaseResult[]
  readonly notices: readonly string[]
}

/** How a run ended, which tells a case that did not end from one that was left out. */
export type Ending = 'bailed' | 'finished' | 'interrupted' | 'recovered'

/** The ending of runs by what they ended with; `null` is the end of one that was lost. */
export function endingOf(ends: readonly (RunEnd | null)[]): Ending {
  const statuses = new Set(ends.map((end) => end?.status))
  return statuses.has('interrupted') ? 'interrupted' : statuses.has('recovered') ? 'recovered' : 'finished'
}

/**
 * Folds plans and journals into one report per package and engine.
 *
 * The same fold serves the end of a run, its interruption, recovery, watch and merge.
 */
export function foldReports(runs: readonly StoredRun[], ending: Ending): readonly FoldedReport[] {
  const groups = new Map<string, Group>()
  for (const run of runs) gather(run, groups)

  return [...groups].map(([name, group]) => {
    const results = [...group.cases.values()]
      .map((gathered) => settle(gathered, ending === 'bailed'))
      .filter((result) => result !== null)
      .toSorted(byPosition)
    return {
      planned: group.planned,
      status: ending === 'finished' || ending === 'bailed' ? statusOf(results) : ending,
      run: runs[0]?.plan.run ?? '',
      plan: planOf(runs),
      startedAt: runs.map(({ plan }) => plan.startedAt).toSorted()[0] ?? '',
      durationMs: Math.max(...runs.map(spanOf)),
      results,
      notices: [
        ...noticesOf(name, runs),
        ...runs.flatMap(({ journal }) => describeSkipped(journal)),
        ...noticesOfPrices(results, runs),
      ],
    }
  })
}

/**
 * Every case that was to run: what the plan says, and what test files in TypeScript turned out to hold. A file that the
 * run did not come to counts for its tests.
 */
export function plannedCases({ cases, files }: RunPlan, { entries }: JournalContent): readonly PlannedCase[] {
  const found = entries.flatMap((entry) => (entry.kind === 'case-plan' ? [entry.planned] : []))
  const collected = entries.filter((entry) => entry.kind === 'file-collected')
  const isOpen = ({ id, packageRoot }: PlannedCase): boolean =>
    !collected.some((file) => file.id === id && file.packageRoot === packageRoot)
  return [...cases, ...found, ...files.filter(isOpen)]
}

interface Group {
  readonly planned: PlannedReport
  readonly cases: Map<string, GatheredCase>
}

interface GatheredCase {
  planned: PlannedCase | null
  readonly entries: { readonly round: number; readonly entry: JournalEntry }[]
}

function gather({ plan, journal }: StoredRun, groups: Map<string, Group>): void {
  const caseOf = (key: Pick<PlannedCase, 'id' | 'packageRoot' | 'engineName'>): GatheredCase => {
    const name = nameOfReport(plan, key)
    const group = groups.get(name) ?? { planned: findPlanned(plan, key), cases: new Map() }
    groups.set(name, group)
    const found = group.cases.get(key.id) ?? { planned: null, entries: [] }
    group.cases.set(key.id, found)
    return found
  }

  for (const planned of plannedCases(plan, journal)) caseOf(planned).planned ??= planned
  for (const entry of journal.entries) {
    if (entry.kind === 'case-plan' || entry.kind === 'file-collected') continue
    const round = plan.rounds.filter((startedAt) => startedAt <= entry.t).length
    caseOf(entry.kind === 'case-start' ? entry : entry.result).entries.push({ round, entry })
  }
}

function settle({ planned, entries }: GatheredCase, isBailed: boolean): CaseResult | null {
  const round = Math.max(0, ...entries.map((entry) => entry.round))
  const ends = entries
    .filter((entry) => entry.round === round)
    .flatMap(({ entry }) => (entry.kind === 'case-end' ? [entry.result] : []))
  // A verdict stands: only what could not be completed is replaced by a later try.
  const result = ends.find(isDecided) ?? ends.at(-1)
  if (result !== undefined)
    return withReplaced(
      result,
      ends.filter((one) => one !== result),
    )
  if (planned === null) return null
  const runs = entries
    .filter((entry) => entry.round === round)
    .flatMap(({ entry }) => (entry.kind === 'run-end' ? [entry.result] : []))
  if (entries.length === 0) return notRun(planned)
  const lost = interrupted(planned, runs)
  // What `--bail` stops on its way is left out as it was asked for: nothing is wrong with it.
  return isBailed ? { ...lost, outcome: 'skipped', reason: `${NOT_RUN}: ${BAILED}`, error: null } : lost
}

// A try that a later one replaced was paid for too.
function withReplaced(result: CaseResult, replaced: readonly CaseResult[]): CaseResult {
  const spent = replaced.filter(hasSpent).map(spendingOf)
  if (spent.length === 0) return result
  const sum = {
    agent: addSpending(spent.map(({ agent }) => agent)),
    judge: addSpending(spent.map(({ judge }) => judge)),
  }
  return { ...result, replaced: sum }
}

const BAILED = '--bail ended the run after a failure'

function notRun(planned: PlannedCase): CaseResult {
  return { ...resultWithoutRun(planned), outcome: 'skipped', reason: NOT_RUN, error: null }
}

// What its ended runs have cost and left is not lost with it.
function interrupted(planned: PlannedCase, ended: readonly CaseResult[]): CaseResult {
  const message = 'The case was started and did not end: the run was interrupted, killed, or out of memory.'
  const lost = { ...resultWithoutRun(planned), outcome: 'errored' as const, reason: message }
  const error = { code: 'interrupted' as const, message }
  const [first] = ended
  if (first === undefined) return { ...lost, error }
  return {
    ...lost,
    error,
    agent: first.agent,
    modelAsked: first.modelAsked,
    ...(first.record === undefined ? {} : { record: first.record }),
    source: first.source,
    runs: runsOf(ended),
    notices: [`${ended.length === 1 ? 'One run' : `${ended.length} runs`} of the case had ended.`],
  }
}

function statusOf(results: readonly CaseResult[]): ReportStatus {
  return results.some((result) => isNotRun(result) || result.error?.code === 'interrupted') ? 'partial' : 'complete'
}

function findPlanned(plan: RunPlan, { packageRoot, engineName }: ReportKey): PlannedReport {
  const found = plan.reports.find((report) => report.packageRoot === packageRoot && report.engineName === engineName)
  return found ?? { packageRoot, engineName, packageName: null, packageVersion: null, judge: null, timeout: null }
}

// The machines of one merge have read the same files, each those of its part.
function noticesOf(name: string, runs: readonly StoredRun[]): readonly string[] {
  const reports = runs.flatMap(({ plan }) => plan.reports.filter((report) => nameOfReport(plan, report) === name))
  return [...new Set(reports.flatMap(({ notices = [] }) => notices.map(({ text }) => text)))]
}

// Relative, so that the machines of one merge agree.
function nameOfReport({ root }: RunPlan, { packageRoot, engineName }: ReportKey): string {
  return `${relative(root, packageRoot)}\0${engineName}`
}

type ReportKey = Pick<PlannedCase, 'packageRoot' | 'engineName'>

function spanOf({ plan, journal, durationMs }: StoredRun): number {
  if (durationMs !== undefined) return durationMs
  const last = journal.entries.at(-1)?.t ?? plan.startedAt
  return Math.max(0, Date.parse(last) - Date.parse(plan.startedAt))
}

function describeSkipped({ skipped }: JournalContent): readonly string[] {
  return [
    ...(skipped.corrupt === 0 ? [] : [`Torn or damaged journal lines that were skipped: ${skipped.corrupt}.`]),
    ...(skipped['unknown-version'] === 0
      ? []
      : [`Journal lines of another version that were skipped: ${skipped['unknown-version']}.`]),
  ]
}

// A budget counts what it knows: the report must not look as if it had been enforced.
function noticesOfPrices(results: readonly CaseResult[], runs: readonly StoredRun[]): readonly string[] {
  const models = results.filter(hasUnknownCost).flatMap(({ agent, judge }): readonly AskedModel[] => {
    const askedModels = [
      { model: agent.model, provider: null },
      { model: judge?.model ?? null, provider: judge?.provider ?? null },
    ]
    return askedModels.flatMap(({ model, provider }) =>
      model === null ? [] : [{ model, wire: wireOfJudge(provider, model) }],
    )
  })
  const notice = describeUnpriced(models, pricesOf(runs))
  return notice === null ? [] : [notice]
}

function hasUnknownCost(result: CaseResult): boolean {
  return Object.values(spendingOf(result)).some(({ hasUnknown }) => hasUnknown)
}

function pricesOf(runs: readonly StoredRun[]): ModelPrices {
  return Object.assign({}, ...runs.map(({ plan }) => plan.options['prices'] ?? {})) as ModelPrices
}

function byPosition(a: CaseResult, b: CaseResult): number {
  return (
    compareTexts(a.file, b.file) || a.at.line - b.at.line || compareTexts(a.name, b.name) || compareTexts(a.id, b.id)
  )
}

// Runs of different plans that are merged were no parts of one.
function planOf(runs: readonly StoredRun[]): string | null {
  const hashes = new Set(runs.map(({ plan }) => plan.plan ?? null))
  return hashes.size === 1 ? ([...hashes][0] ?? null) : null
}
