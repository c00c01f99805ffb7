import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { AgentEvalsError } from '../lib/errors.ts'
import { foldersUpwards } from '../lib/files.ts'
import { foldReports, type FoldedReport } from './fold/fold.ts'
import { readReportFile, type ReadCase } from './read-report.ts'
import { listRunFolders } from './results/past-runs.ts'
import { readJournals } from './results/read-journal.ts'
import { runsFolder, type RunFolder } from './results/run-folder.ts'

/** A report with the results that it was folded from. */
export interface StoredReport {
  readonly folder: RunFolder
  readonly folded: FoldedReport
}

/**
 * Finds the run of a report, by the name that both carry. `file` is an absolute path.
 *
 * @throws {AgentEvalsError} `missing-input`, `invalid-report`; `no-match` when the run was removed.
 */
export function readStoredReport(file: string): StoredReport {
  const { id, cases } = readReportFile(file)
  const run = /-([0-9a-f]{6})$/.exec(id ?? '')?.[1]
  const folder = run === undefined ? undefined : findRunFolder(dirname(file), run)
  if (folder === undefined)
    throw new AgentEvalsError(
      'no-match',
      `The runs of ${file} are not stored: no run folder ${run === undefined ? 'of its name' : `…-${run}`} in .vitest/agent-evals above it. The last 20 are kept; run the cases again, then rejudge that report.`,
    )
  const keys = new Set(cases.map(keyOf))
  const folded = foldReports([{ plan: folder.plan, journal: readJournals(folder.path) }], 'finished')
  for (const one of folded) {
    const results = one.results.filter((result) =>
      keys.has(keyOf({ id: result.id, file: result.file, engine: result.engineName })),
    )
    if (results.length > 0) return { folder, folded: { ...one, results } }
  }
  throw new AgentEvalsError('no-match', `${folder.path} has no result of a case of ${file}.`)
}

function keyOf({ id, file, engine }: Pick<ReadCase, 'engine' | 'file' | 'id'>): string {
  return [file, id, engine].join('\0')
}

/** Finds a run folder by the end of its name, in the folders above a path and above the current one. */
export function findRunFolder(from: string, run: string): RunFolder | undefined {
  // The Vitest root is the package or a folder above it; a report may have been asked for elsewhere.
  const found = searched(from)
    .flatMap(listRunFolders)
    .find(({ plan }) => plan.run.endsWith(`-${run}`))
  return found
}

/** The folders with run folders above a path and above the current one, nearest first. */
export function runsFoldersAbove(from: string): readonly string[] {
  return searched(from)
    .map(runsFolder)
    .filter((folder) => existsSync(folder))
}

function searched(from: string): readonly string[] {
  return [...new Set([from, process.cwd()].flatMap(foldersUpwards))]
}
