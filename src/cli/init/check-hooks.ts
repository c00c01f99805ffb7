import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { isBlocking } from '../../checks/hook-events.ts'
import { messageOf } from '../../lib/errors.ts'
import { shorten } from '../../lib/text.ts'
import { ownFile } from '../../own-folder.ts'
import { readReportFile, type ReadCase } from '../../report/read-report.ts'
import { runProcess, type ProcessResult } from '../../sandbox/process/run-process.ts'

/** What a case about a hook that `init` wrote is worth, as a sentence. */
export interface CheckedCase {
  /** Absolute path. */
  readonly file: string
  readonly says: string
  /** Whether the case passes, and fails once its hook does nothing. */
  readonly isGood: boolean
}

/**
 * Plays new cases about hooks as `run --sabotage` does: a case that stays green with a hook that does nothing cannot fail,
 * and its author is to know before it is trusted. Their scenarios answer, so that it costs nothing.
 */
export async function checkHookCases(root: string, files: readonly string[]): Promise<readonly CheckedCase[]> {
  // The sources of the package themselves have no command to start.
  if (files.length === 0 || !existsSync(COMMAND)) return []
  const folder = mkdtempSync(join(tmpdir(), 'agent-evals-init-'))
  const report = join(folder, 'report.json')
  const paths = files.map((file) => relative(root, file))
  const argv = [COMMAND, 'run', ...paths, '--root', root, '--sabotage', '--no-cache', '--summary-only', '-o', report]
  const env = { ...(process.env as Record<string, string>), AGENT_EVALS_SOURCE: 'replay', NO_COLOR: '1' }
  try {
    // A failed case is one of the answers, not an error. Nobody would wait 2 minutes for a hook.
    const ended = await runProcess(process.execPath, argv, { cwd: root, env, deadlineMs: 120_000 })
    if (!existsSync(report)) throw new Error(whyNoReport(ended))
    const { cases } = readReportFile(report)
    return files.map((file) => {
      const found = cases.find((one) => join(root, one.file ?? '') === file)
      return { file, says: describeOutcome(found), isGood: found?.outcome === 'passed' && found.sabotage === 'noticed' }
    })
  } catch (error) {
    return files.map((file) => ({ file, says: `not checked: ${messageOf(error)}`, isGood: false }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const COMMAND = ownFile('cli/main.js')

function whyNoReport({ timedOut, stderrTail }: ProcessResult): string {
  return timedOut ? 'it took too long' : stderrTail.trim().split('\n').at(-1) || 'the command ended without a report'
}

function describeOutcome(found: ReadCase | undefined): string {
  if (found === undefined) return 'not checked: it did not run'
  const { outcome, sabotage, error, skip_reason: skipped, notices } = found
  if (outcome !== 'passed') return `${outcome}: ${error ?? skipped ?? 'no reason is known'}`
  if (sabotage === 'noticed') return 'passes, and fails with a hook that does nothing'
  if (sabotage === 'unnoticed')
    return `passes, also with a hook that does nothing, so it cannot fail yet. ${adviseOn(found)}`
  return `passes; with a hook that does nothing it could not be played: ${notices.at(-1) ?? ''}`
}

/** What the hook did just now, as a line of the case that holds it to that. */
function adviseOn({ runs, target }: ReadCase): string {
  const events = runs.flatMap(({ hooks }) => hooks).filter(({ event }) => target === `hook:${event}`)
  if (events.some(isBlocking)) return 'The hook blocks. Below `expected`, add `agent-blocked: true`.'
  const told = events.flatMap((hook) => hook.told).find(({ reached_model }) => reached_model === true)
  if (told === undefined) return 'Say what the hook does, with agent-blocked, hook-output or files-created.'
  const words = JSON.stringify(shorten(told.text.trim().split('\n')[0] ?? '', 60).replace(/…$/, ''))
  return `The hook tells the model something. Below \`expected\`, add \`hook-output: { contains: ${words} }\`.`
}
