import { buildReport } from '../build/build-report.ts'
import { foldReports, type FoldedReport, type FoldSource } from './fold.ts'
import { mergeProvenance } from './merge-provenance.ts'
import { knownProvenance, type Provenance } from '../../results/provenance.ts'
import { readJournals } from '../../results/journal/read-journal.ts'
import { readProvenance, readRunEnd, type RunEnd, type RunFolder } from '../../results/run-folder.ts'
import { findMissingShards, type MissingShards } from './missing-shards.ts'
import { compareTexts } from '../../texts.ts'
import type { ReportToWrite } from '../write-report.ts'

/** The runs of several machines as one. */
export interface MergedRuns {
  readonly reports: readonly ReportToWrite[]
  /** Shards that are not among the runs; `null` when none is, or the run was not cut. */
  readonly missing: MissingShards | null
}

/**
 * Folds the run folders of several machines into the reports of one run: the same fold that ends a run on one.
 *
 * @throws {AgentEvalsError} `invalid-options` when the folders are shards of different cuts.
 */
export function mergeRuns(folders: readonly RunFolder[]): MergedRuns {
  const ordered = folders.toSorted(
    (a, b) => compareTexts(a.plan.startedAt, b.plan.startedAt) || compareTexts(a.path, b.path),
  )
  const missing = findMissingShards(ordered.map(({ plan }) => plan))
  const sources = ordered.map(({ path, plan }): FoldSource => ({ plan, journal: readJournals(path) }))
  const remarks = [...(missing === null ? [] : [missing.remark]), ...describeUnended(ordered)]
  const folded = foldReports(sources, endingOf(ordered.map(({ path }) => readRunEnd(path))))

  const reports = folded
    .filter(({ results }) => results.length > 0)
    .map((one): ReportToWrite => {
      const { provenance, remark } = mergeProvenance(ordered.flatMap((folder) => provenanceOf(folder, one)))
      const complete = missing === null ? one : { ...one, status: one.status === 'complete' ? 'partial' : one.status }
      const notices = [...one.notices, ...remarks, ...(remark === null ? [] : [remark])]
      return {
        report: buildReport({ ...complete, notices }, provenance),
        packageRoot: one.planned.packageRoot,
        engineName: one.planned.engineName,
      }
    })
  return { reports, missing }
}

// A machine that had no case of a package has nothing to say of it.
function provenanceOf({ path, plan }: RunFolder, { planned, results }: FoldedReport): readonly Provenance[] {
  const own = plan.reports.find(
    ({ packageRoot, engineName }) =>
      engineName === planned.engineName &&
      results.some((result) => result.packageRoot === packageRoot && result.engineName === engineName),
  )
  if (own === undefined) return []
  const kept = readProvenance(path, own.packageRoot)
  if (kept !== null) return [kept]
  const { vitest, node, agentEvals } = plan.versions
  return [{ ...knownProvenance(vitest), nodeVersion: node, agentEvalsVersion: agentEvals }]
}

function endingOf(ends: readonly (RunEnd | null)[]): 'finished' | 'interrupted' | 'recovered' {
  const statuses = new Set(ends.map((end) => end?.status))
  return statuses.has('interrupted') ? 'interrupted' : statuses.has('recovered') ? 'recovered' : 'finished'
}

function describeUnended(folders: readonly RunFolder[]): readonly string[] {
  const unended = folders.filter(({ path }) => readRunEnd(path) === null)
  return unended.map(
    ({ plan }) => `The run ${plan.run} has not ended, or was killed; its finished cases are in the report.`,
  )
}
