import { isStop } from '../../lib/errors.ts'
import { listRunFolders } from '../results/past-runs.ts'
import { readOwnVersion } from '../results/provenance.ts'
import { readJournals } from '../results/read-journal.ts'
import { takeOver } from '../results/result-cache.ts'
import { isDecided, isNotRun, type CaseResult } from '../results/result.ts'
import type { RunFolder } from '../results/run-folder.ts'
import { foldReports } from './fold.ts'

/** What unfinished runs have finished. */
export interface EarlierResults {
  /** The latest result of a case whose inputs were the same; `null` when none passed or failed. */
  find(key: string): CaseResult | null
  /** The latest run, of a test that passed or failed or could not pay its judge, whose inputs were the same. */
  findRun(key: string): EarlierRun | null
}

/** A run of a test in TypeScript. */
interface EarlierRun {
  /** Folder of its evidence below the Vitest root. */
  readonly folder: string
  /** Name of the run of Vitest that made it. */
  readonly from: string
}

/**
 * Reads the runs that were lost, stopped, or left cases without a verdict. One whose every such case was decided later is
 * finished with, and what was decided otherwise since then counts no more.
 *
 * A result of another version of this package is none: the same words may mean something else there.
 */
export function readEarlierResults(root: string, currentRun: string): EarlierResults {
  let unfinished: readonly UnfinishedRun[] = []
  for (const folder of listRunFolders(root)) {
    const { run, versions } = folder.plan
    if (run === currentRun || versions.agentEvals !== readOwnVersion()) continue
    const { cases, runs } = resultsOf(folder)
    const left = cases.filter((one) => !hasVerdict(one)).map(placeOf)
    unfinished =
      left.length === 0
        ? unfinished.map((one) => without(one, cases)).filter((one) => one.left.length > 0)
        : [...unfinished, { run, left, cases, runs }]
  }
  const byKey = new Map<string, CaseResult>()
  const runsByKey = new Map<string, EarlierRun>()
  for (const { run, cases, runs } of unfinished) {
    for (const result of [...cases, ...runs]) keep(result, run, byKey)
    for (const result of cases) keepRuns(result, run, runsByKey)
  }
  return { find: (key) => byKey.get(key) ?? null, findRun: (key) => runsByKey.get(key) ?? null }
}

interface UnfinishedRun extends FolderResults {
  readonly run: string
  /** The cases that nothing has decided. */
  readonly left: readonly string[]
}

function without(unfinished: UnfinishedRun, decided: readonly CaseResult[]): UnfinishedRun {
  const outcomes = new Map(decided.map((one) => [placeOf(one), one.outcome]))
  const agrees = (one: CaseResult): boolean => [undefined, one.outcome].includes(outcomes.get(placeOf(one)))
  return {
    ...unfinished,
    left: unfinished.left.filter((place) => !outcomes.has(place)),
    cases: unfinished.cases.filter(agrees),
    runs: unfinished.runs.filter(agrees),
  }
}

// Cases of two packages may have one id.
function placeOf({ packageRoot, id }: CaseResult): string {
  return JSON.stringify([packageRoot, id])
}

interface FolderResults {
  readonly cases: readonly CaseResult[]
  /** Single runs of cases that are run several times. */
  readonly runs: readonly CaseResult[]
}

function resultsOf({ path, plan }: RunFolder): FolderResults {
  try {
    const journal = readJournals(path)
    return {
      cases: foldReports([{ plan, journal }], 'recovered').flatMap(({ results }) => results),
      runs: journal.entries.flatMap((entry) => (entry.kind === 'run-end' ? [entry.result] : [])),
    }
  } catch {
    // A run folder that cannot be read has nothing to offer.
    return { cases: [], runs: [] }
  }
}

function keep(result: CaseResult, run: string, byKey: Map<string, CaseResult>): void {
  if (result.key === undefined || !isDecided(result)) return
  byKey.set(result.key, takeOver(result, run))
}

// Of a test whose judge could not be paid the runs are whole: only the judge is asked again.
function keepRuns(result: CaseResult, run: string, runsByKey: Map<string, EarlierRun>): void {
  if (!isDecided(result) && !isStop(result.error)) return
  for (const { folder, internal } of result.runs)
    if (internal.key !== undefined && folder !== null)
      runsByKey.set(internal.key, { folder, from: internal.reusedFrom ?? run })
}

function hasVerdict(result: CaseResult): boolean {
  return result.outcome !== 'errored' && !isNotRun(result)
}
