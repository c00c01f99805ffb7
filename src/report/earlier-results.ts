import { foldReports, isNotRun } from './fold.ts'
import { readOwnVersion } from './provenance.ts'
import { readJournals } from './read-journal.ts'
import { listRunFolders, type RunFolder } from './run-folder.ts'
import type { CaseResult } from './result.ts'

/** What unfinished runs have finished. */
export interface EarlierResults {
  /** The latest result of a case whose inputs were the same; `null` when none passed or failed. */
  find(key: string): CaseResult | null
}

/**
 * Reads the runs that were lost, stopped, or left cases without a verdict.
 *
 * A result of another version of this package is none: the same words may mean something else there.
 */
export function readEarlierResults(root: string, currentRun: string): EarlierResults {
  const byKey = new Map<string, CaseResult>()
  for (const folder of listRunFolders(root)) {
    const { run, versions } = folder.plan
    if (run === currentRun || versions.agentEvals !== readOwnVersion()) continue
    const results = resultsOf(folder)
    if (!results.every(hasVerdict)) for (const result of results) keep(result, run, byKey)
  }
  return { find: (key) => byKey.get(key) ?? null }
}

function resultsOf({ path, plan }: RunFolder): readonly CaseResult[] {
  try {
    return foldReports([{ plan, journal: readJournals(path) }], 'recovered').flatMap(({ results }) => results)
  } catch {
    // A run folder that cannot be read has nothing to offer.
    return []
  }
}

function keep(result: CaseResult, run: string, byKey: Map<string, CaseResult>): void {
  if (result.key === undefined || (result.outcome !== 'passed' && result.outcome !== 'failed')) return
  // It costs nothing now, and what was reused before is as old as it was.
  byKey.set(result.key, { ...result, costUsd: 0, reusedFrom: result.reusedFrom ?? run })
}

function hasVerdict(result: CaseResult): boolean {
  return result.outcome !== 'errored' && !isNotRun(result)
}
