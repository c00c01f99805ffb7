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
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const env = { ...Object.fromEntries(inherited), AGENT_EVALS_SOURCE: 'replay', NO_COLOR: '1' }
  try {
    // A case that fails is one of the answers, not the end of the check.
    const ended = await runProcess(process.execPath, argv, { cwd: root, env, deadlineMs: MOST_MS })
    if (!existsSync(report))
      return files.map((file) => ({ file, says: `not checked: ${whyNot(ended)}`, isGood: false }))
    const { cases } = readReportFile(report)
    return files.map((file) => ({ file, ...describeOutcome(cases.find((one) => join(root, one.file ?? '') === file)) }))
  } catch (error) {
    return files.map((file) => ({ file, says: `not checked: ${messageOf(error)}`, isGood: false }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const COMMAND = ownFile('cli/main.js')

/** Longer than any hook that a person would wait for. */
const MOST_MS = 120_000

function describeOutcome(found: ReadCase | undefined): Omit<CheckedCase, 'file'> {
  if (found === undefined) return { says: 'not checked: it did not run', isGood: false }
  if (found.outcome !== 'passed')
    return { says: `${found.outcome}: ${found.error ?? found.skip_reason ?? 'no reason is known'}`, isGood: false }
  if (found.sabotage === 'noticed') return { says: 'passes, and fails with a hook that does nothing', isGood: true }
  if (found.sabotage !== 'unnoticed')
    return {
      says: `passes; with a hook that does nothing it could not be played: ${found.notices.at(-1) ?? ''}`,
      isGood: false,
    }
  return {
    says: `passes, also with a hook that does nothing, so it cannot fail yet. ${adviseOn(found)}`,
    isGood: false,
  }
}

/** What the hook did just now, as a line of the case that holds it to that. */
function adviseOn({ runs, target }: ReadCase): string {
  const events = runs.flatMap(({ hooks }) => hooks).filter(({ event }) => target === `hook:${event}`)
  if (events.some(isBlocking)) return 'The hook blocks. Below `expected`, add `agent-blocked: true`.'
  const told = events.flatMap((hook) => hook.told).find(({ reached_model }) => reached_model === true)
  if (told === undefined) return 'Say what the hook does, with agent-blocked, hook-output or files-created.'
  const words = JSON.stringify(shorten(told.text.trim().split('\n')[0] ?? '', MOST_WORDS).replace(/…$/, ''))
  return `The hook tells the model something. Below \`expected\`, add \`hook-output: { contains: ${words} }\`.`
}

const MOST_WORDS = 60

function whyNot({ timedOut, stderrTail }: ProcessResult): string {
  return timedOut ? 'it took too long' : stderrTail.trim().split('\n').at(-1) || 'the command ended without a report'
}
