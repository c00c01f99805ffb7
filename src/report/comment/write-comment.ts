import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { replaceFile } from '../../lib/files.ts'
import { createRedactor } from '../../gateway/redact.ts'
import { formatComment, type CommentedRun } from './format-comment.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Writes the comment of a run, without secrets.
 *
 * @param run - its address is that of the CI, where it says one.
 * @throws {AgentEvalsError} `report-unwritable`
 */
export function writeComment(file: string, run: Omit<CommentedRun, 'url'>, environment: Environment): void {
  // Escaped they would not be found.
  const shown = createRedactor(environment).values({ ...run, url: addressOfRun(environment) })
  try {
    mkdirSync(dirname(file), { recursive: true })
    replaceFile(file, formatComment(shown))
  } catch (cause) {
    const message = `Cannot write the comment to ${file}: ${messageOf(cause)} Name another file.`
    throw new AgentEvalsError('report-unwritable', message, { cause })
  }
}

/** Where the CI shows this run and its artifacts; `null` outside of a CI that says so. */
export function addressOfRun(environment: Environment): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, CI_JOB_URL: job } = environment
  if (server && repository && run) return `${server}/${repository}/actions/runs/${run}#artifacts`
  return job ? `${job}/artifacts/browse` : null
}
