import { join, resolve } from 'node:path'
import type { Redactor } from '../../gateway/redact.ts'
import { messageOf } from '../../lib/errors.ts'
import { foldersUpwards } from '../../lib/files.ts'
import { buildReport } from '../build/build-report.ts'
import { logGoldenRuns } from '../golden/run-log.ts'
import { findLostRuns } from '../results/past-runs.ts'
import { knownProvenance } from '../results/provenance.ts'
import { readJournals } from '../results/read-journal.ts'
import { claimLostRun, endRun, readProvenance, type RunFolder } from '../results/run-folder.ts'
import { writeReports, type WrittenReport } from '../write-report.ts'
import { foldReports } from './fold.ts'

/** A run that was lost, and the reports that say what it had finished. */
interface RecoveredRun {
  /** Absolute path of the run folder. */
  readonly path: string
  /** None where nothing had ended. */
  readonly written: readonly WrittenReport[]
  /** Why there are none; `null` when nothing is wrong. It must not keep a new run from starting. */
  readonly problem: string | null
}

/** Writes the reports of runs that were killed before they could. Call it before a new run starts. */
export function recoverRuns(root: string, redactor: Redactor): readonly RecoveredRun[] {
  return findLostRuns(root).flatMap((folder) => {
    try {
      return claimLostRun(folder.path) ? recoverRun(folder, redactor) : []
    } catch (error) {
      return [{ path: folder.path, written: [], problem: messageOf(error) }]
    }
  })
}

function recoverRun({ path, plan }: RunFolder, redactor: Redactor): readonly RecoveredRun[] {
  const journal = readJournals(path)
  // A run that was stopped before anything ended has nothing to tell.
  const hasResult = journal.entries.some(({ kind }) => kind !== 'case-start')
  const folded = hasResult ? foldReports([{ plan, journal }], 'recovered') : []
  const reports = folded.map((one) => {
    const { packageRoot, engineName } = one.planned
    const provenance = {
      ...knownProvenance(plan.versions.vitest),
      nodeVersion: plan.versions.node,
      agentEvalsVersion: plan.versions.agentEvals,
    }
    return { report: buildReport(one, readProvenance(path, packageRoot) ?? provenance), packageRoot, engineName }
  })
  // Where none was wanted in the package, it still must not be lost. A path that was asked for is the new run's.
  // Neither is one written outside of the root because a journal says so.
  const isWithin = (packageRoot: string): boolean => foldersUpwards(resolve(packageRoot)).includes(resolve(plan.root))
  const isHome = plan.options['report'] !== false && reports.every(({ packageRoot }) => isWithin(packageRoot))
  const place = !isHome ? { path: join(path, 'report.json') } : {}
  const written = writeReports(reports, { runFolder: path, redactor, ...place })
  if (plan.options['runLog'] !== false)
    logGoldenRuns({
      results: folded.flatMap((one) => one.results).filter(({ packageRoot }) => isWithin(packageRoot)),
      root: plan.root,
      runFolder: path,
    })
  endRun(path, { status: 'recovered', reports: written.map((report) => report.path) })
  return [{ path, written, problem: null }]
}
