import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { createRedactor } from '../../gateway/redact.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { replaceFile } from '../../lib/files.ts'
import { askGitNow, gitPaths } from '../../sandbox/process/git.ts'
import { formatComment, type CommentedRun } from './comment.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * A run as Markdown without secrets, for a comment and for the page of the CI job.
 *
 * @param environment - says the address of the CI's run, and the base branch of its pull request.
 * @param root - a folder of the checkout.
 */
export function commentOn(
  run: Omit<CommentedRun, 'recordings' | 'url'>,
  environment: Environment,
  root: string,
): string {
  const told: CommentedRun = {
    ...run,
    recordings: changedRecordings(root, environment['GITHUB_BASE_REF']),
    url: addressOfRun(environment),
  }
  // Escaped they would not be found.
  return formatComment(createRedactor(environment).values(told))
}

/** @throws {AgentEvalsError} `report-unwritable` */
export function writeComment(file: string, comment: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    replaceFile(file, comment)
  } catch (cause) {
    const message = `Cannot write the comment to ${file}: ${messageOf(cause)} Name another file.`
    throw new AgentEvalsError('report-unwritable', message, { cause })
  }
}

/** The file whose content GitHub shows on the page of the job; `null` elsewhere. */
export function jobSummaryFile({ GITHUB_STEP_SUMMARY: file }: Environment): string | null {
  return file === undefined || file === '' ? null : file
}

/** Adds a comment to the page of the CI job. Returns why that was not possible, in one sentence, else `null`. */
export function appendJobSummary(file: string, comment: string): string | null {
  try {
    appendFileSync(file, comment)
    return null
  } catch (error) {
    return `The job summary was not written to ${file}: ${messageOf(error)}`
  }
}

/** Where the CI shows this run and its artifacts; `null` outside of a CI that says so. */
export function addressOfRun(environment: Environment): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, CI_JOB_URL: job } = environment
  if (server && repository && run) return `${server}/${repository}/actions/runs/${run}#artifacts`
  return job ? `${job}/artifacts/browse` : null
}

// A recording is the claim of whoever commits it: a reviewer must see which ones a pull request changes.
function changedRecordings(root: string, base: string | undefined): readonly string[] | null {
  if (base === undefined || base === '') return []
  const words = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv']
  const found = askGitNow(root, [...words, `origin/${base}...HEAD`, '--', ':(top,glob)**/evals/recordings/**'])
  return found === null ? null : gitPaths(found)
}
