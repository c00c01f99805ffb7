import { relative } from 'node:path'
import { isStdoutTaken } from './machine-output.ts'
import { buildReport } from '../../report/build-report.ts'
import { foldReports } from '../../report/fold.ts'
import { readJournals } from '../../report/read-journal.ts'
import { createRedactor } from '../../report/redact.ts'
import { endRun, settlePlan, type RunFolder } from '../../report/run-folder.ts'
import { formatSummary, type SummaryReport } from '../../report/summary.ts'
import { writeReports, type ReportToWrite, type WrittenReport } from '../../report/write-report.ts'
import type { Provenance } from '../../report/provenance.ts'
import type { PlannedCase } from '../../report/result.ts'
import type { Vitest } from 'vitest/node'

/** What is needed to publish the reports of a run. */
export interface PublishRequest {
  readonly vitest: Vitest
  readonly folder: RunFolder
  readonly report: string | false | null
  readonly interrupted: boolean
  /** Cases that a filter left out; they are in no report. */
  readonly filtered: (planned: PlannedCase) => boolean
  readonly provenanceOf: (packageRoot: string) => Promise<Provenance>
  /** Milliseconds, by a clock that does not jump. */
  readonly durationMs: number
  /** Reports of an earlier pass of a watching Vitest. */
  readonly earlier: readonly WrittenReport[]
}

/** Folds the journals of a run into its reports, writes them and prints the summary. */
export async function publishReports(request: PublishRequest): Promise<readonly WrittenReport[]> {
  const { folder, vitest, durationMs, provenanceOf } = request
  const plan = { ...folder.plan, cases: folder.plan.cases.filter((planned) => !request.filtered(planned)) }
  const source = { plan, journal: readJournals(folder.path), durationMs }
  const folded = foldReports([source], request.interrupted ? 'interrupted' : 'finished').filter(
    ({ results }) => results.length > 0,
  )

  const reports: ReportToWrite[] = []
  for (const one of folded) {
    const { packageRoot, engineName } = one.planned
    reports.push({ report: buildReport(one, await provenanceOf(packageRoot)), packageRoot, engineName })
  }
  const written = request.report === false ? [] : write(reports, request)
  settlePlan(folder, plan.cases)
  endRun(folder.path, { status: folded[0]?.status ?? 'complete', reports: written.map(({ path }) => path) })

  const shown = reports.map(({ report }, index): SummaryReport => {
    const path = written[index]?.path
    return { report, path: path === undefined ? null : relative(vitest.config.root, path) }
  })
  const lines = formatSummary(shown, { color: process.stdout.isTTY && !process.env['NO_COLOR'] })
  if (lines.length > 0) printer(vitest)(`\n${lines.join('\n')}\n`)
  for (const { problem } of written) if (problem !== null) vitest.logger.error(problem.message)
  return written
}

function printer(vitest: Vitest): (text: string) => void {
  return (text) => (isStdoutTaken(vitest) ? vitest.logger.error(text) : vitest.logger.log(text))
}

function write(
  reports: readonly ReportToWrite[],
  { folder, report, earlier }: PublishRequest,
): readonly WrittenReport[] {
  const redactor = createRedactor(process.env)
  const path = typeof report === 'string' ? report : undefined
  return writeReports(reports, { runFolder: folder.path, redactor, path, rewrite: earlier })
}
