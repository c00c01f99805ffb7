import { dirname } from 'node:path'
import { knownProvenance } from '../../results/provenance.ts'
import { readJournals } from '../../results/journal/read-journal.ts'
import { createRedactor } from '../../results/redact.ts'
import { readProvenance, readRunEnd, type RunFolder } from '../../results/run-folder.ts'
import { buildReport } from '../build/build-report.ts'
import { foldReports } from '../fold/fold.ts'
import { findRunFolder, runsFoldersAbove } from '../stored-report.ts'
import { readReport, readReportFile } from '../read-report.ts'
import type { EvidencePlaces } from './evidence-places.ts'
import type { PageSource } from './build-page.ts'

/** A page to write, and the run folder of its run; `null` when that is missing. */
export interface FoundSource {
  readonly source: PageSource
  readonly runFolder: string | null
}

/**
 * Reads a report file, absolute path, and finds its run folder.
 *
 * @throws {AgentEvalsError} `missing-input`, `invalid-report`
 */
export function sourceOfReport(file: string): FoundSource {
  const report = redacted(readReportFile(file))
  const run = /-([0-9a-f]{6})$/.exec(report.id ?? '')?.[1]
  const folder = run === undefined ? undefined : findRunFolder(dirname(file), run)
  // A merged report has cases of several runs.
  const places = [...(folder === undefined ? [] : [dirname(folder.path)]), ...runsFoldersAbove(dirname(file))]
  return { source: { reports: [report], places: [...new Set(places)] }, runFolder: folder?.path ?? null }
}

/** Reads every report of a run from its folder, also of one that was lost or has not ended. */
export function sourceOfRun({ path, plan }: RunFolder): FoundSource {
  const end = readRunEnd(path)
  const folded = foldReports(
    [{ plan, journal: readJournals(path) }],
    ENDINGS[end?.status ?? 'interrupted'] ?? 'finished',
  )
  const known = {
    ...knownProvenance(plan.versions.vitest),
    nodeVersion: plan.versions.node,
    agentEvalsVersion: plan.versions.agentEvals,
  }
  const reports = folded
    .filter(({ results }) => results.length > 0)
    .map((one) => buildReport(one, readProvenance(path, one.planned.packageRoot) ?? known))
  return { source: sourceOfReports(reports, [dirname(path)], path), runFolder: path }
}

/** Takes the reports of a run; `places` are the folders that hold its run folders. */
export function sourceOfReports(reports: readonly unknown[], places: EvidencePlaces, name: string): PageSource {
  return { reports: reports.map((report) => redacted(readReport(plain(report), name))), places }
}

const ENDINGS: Readonly<Record<string, 'interrupted' | 'recovered'>> = {
  interrupted: 'interrupted',
  recovered: 'recovered',
}

function redacted<Value>(value: Value): Value {
  return createRedactor(process.env).values(value)
}

// As it would be read from its file.
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
