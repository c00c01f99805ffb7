import { join } from 'node:path'
import { parseJudgeSettings } from '../../suites/agent/judge-settings.ts'
import { appendAudit, auditEntry, hashJudgeFiles, sampleDecisions, type AuditSample } from './audit-log.ts'
import { writeRunLogs, type LoggedRun, type RunLogRequest } from './run-log.ts'
import { readTextFile } from '../../files.ts'

/** What was logged of one agent, and what a person is to look at. */
export interface GoldenRun extends LoggedRun {
  readonly audit: AuditSample
}

/** Logs the golden tests of a run, and samples the decisions of the judge that a person is to look at. */
export function logGoldenRuns(request: RunLogRequest): readonly GoldenRun[] {
  return writeRunLogs(request).map((logged) => {
    const evalsDir = join(logged.packageRoot, 'evals')
    const audit = sampleDecisions(logged.lines, readShare(evalsDir))
    const hash = hashJudgeFiles(evalsDir)
    try {
      appendAudit(
        evalsDir,
        audit.sampled.map((line) => auditEntry(line, 'sampled', hash)),
      )
      return { ...logged, audit }
    } catch (error) {
      // What kept the log from being written keeps the sample from it too.
      const problem = logged.problem ?? `The audit sample cannot be kept: ${(error as Error).message}.`
      return { ...logged, audit, problem }
    }
  })
}

function readShare(evalsDir: string): number {
  try {
    const file = join(evalsDir, 'judge.md')
    return parseJudgeSettings(readTextFile(file), file).judge?.auditShare ?? 0
  } catch {
    return 0
  }
}
