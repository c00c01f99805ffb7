import { AgentEvalsError, messageOf } from '../errors.ts'
import { parseReport, type ComparedReport } from '../report/read-report.ts'
import { codeOf } from '../write-atomically.ts'
import { readTextFile } from '../files.ts'

/** A report, and its text for what only our own reports say. */
export interface ReportFile {
  readonly text: string
  readonly report: ComparedReport
}

/**
 * Reads a report, of this program or of another that keeps to the AAM text.
 *
 * @throws {AgentEvalsError} `missing-input`, `invalid-report`
 */
export function readReportFile(path: string): ReportFile {
  const text = readText(path)
  return { text, report: parseReport(text, path) }
}

function readText(path: string): string {
  try {
    return readTextFile(path)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT')
      throw new AgentEvalsError('missing-input', `There is no report at ${path}.`, { cause })
    const reason = messageOf(cause)
    throw new AgentEvalsError('invalid-report', `Cannot read the report ${path}: ${reason}`, { cause })
  }
}
