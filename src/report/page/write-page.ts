import { basename, dirname, join } from 'node:path'
import { AgentEvalsError, messageOf } from '../../errors.ts'
import { replaceFile } from '../../write-atomically.ts'
import { findReportProblem } from '../write-report.ts'
import { buildPage, type PageSource } from './build-page.ts'
import { renderPage } from './render-page.ts'

/** Writes the page of reports to a file, which it replaces.
 *
 * @throws {AgentEvalsError} `report-unwritable`
 */
export function writePage(source: PageSource, file: string): void {
  const problem = findReportProblem(file)
  if (problem !== null) throw unwritable(file, problem.message, problem)
  try {
    replaceFile(file, renderPage(buildPage(source)))
  } catch (error) {
    if (error instanceof AgentEvalsError) throw error
    throw unwritable(file, messageOf(error), error)
  }
}

/** Where the page of a run folder is written when no place is named. */
export function defaultPagePath(runFolder: string): string {
  return join(runFolder, 'report.html')
}

/** Where the page of one report is written when no place is named: in its run folder, else beside the report. */
export function pagePathOf(reportFile: string, runFolder: string | null): string {
  return join(runFolder ?? dirname(reportFile), `${basename(reportFile, '.json')}.html`)
}

function unwritable(file: string, reason: string, cause: unknown): AgentEvalsError {
  return new AgentEvalsError('report-unwritable', `Cannot write the page to ${file}: ${reason} Name another file.`, {
    cause,
  })
}
