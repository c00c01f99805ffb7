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
  const folder = findRunFolder(file, id)
  if (folder === undefined)
    throw new AgentEvalsError(
      'no-match',
      `The runs of ${file} are not stored: no run folder ${endOfRun(id)?.replace('-', '…-') ?? 'of its name'} in .vitest/agent-evals above it. The last 20 are kept; run the cases again, then rejudge that report.`,
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

/** Finds the run folder of a report by its id, in the folders above its file and above the current one. */
export function findRunFolder(file: string, id: string | null): RunFolder | undefined {
  const end = endOfRun(id)
  if (end === undefined) return undefined
  // The Vitest root is the package or a folder above it; a report may have been asked for elsewhere.
  return searched(dirname(file))
    .flatMap(listRunFolders)
    .find(({ plan }) => plan.run.endsWith(end))
}

// The end of its name, which the id of a report has too.
function endOfRun(id: string | null): string | undefined {
  return /-[0-9a-f]{6}$/.exec(id ?? '')?.[0]
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
