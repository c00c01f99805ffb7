import { randomUUID } from 'node:crypto'
import { isAbsolute, relative, resolve } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { runProcess, type ProcessResult } from '../process.ts'
import { withResidentLimits } from '../process/resident-limit.ts'
import { hostEnvironment } from '../sandbox/environment.ts'
import { missingScript } from './missing-script.ts'
import type { TestConfig } from '../suites/tests/test-suite.ts'
import type { PackageCopy } from '../workspace/package-copy.ts'

/** One shell command in a copy of the package. */
export interface ScriptRequest {
  readonly command: string
  /** Absolute path. */
  readonly cwd: string
  readonly copy: PackageCopy
  readonly config: TestConfig
  /** Further variables, over those of the configuration. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin: string | null
  readonly deadlineMs: number
  /** `NAME=value` that every process of the run carries, so that all of them are found if this one is killed. */
  readonly runTag: string
  readonly signal: AbortSignal
}

/** How it ended. It may have been ended by its deadline. */
export interface ScriptEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command with a home and a temporary folder of its own, and kills whatever it leaves behind.
 *
 * @throws {AgentEvalsError} `cancelled`, `missing-input` when the script that it names is not there, or
 * `script-not-started`.
 */
export async function runScript(request: ScriptRequest): Promise<ScriptEnd> {
  const { command, cwd, signal, deadlineMs } = request
  const env = environmentOf(request)
  const tag = `${CASE_TAG}=${env[CASE_TAG]}`
  const shell = withResidentLimits({ soft: request.runTag, hard: tag }, 'sh', ['-c', command])
  const result = await runProcess(shell.file, shell.arguments, {
    cwd,
    env,
    stdin: request.stdin ?? undefined,
    signal,
    deadlineMs,
    graceMs: 0,
    coverInherited: false,
    tag,
  })
  if (result.aborted) throw new AgentEvalsError('cancelled', 'The run was stopped before the script had ended.')
  if (result.spawnError !== null) throw notStarted(request, result.spawnError)
  const missing = result.exitCode === 0 ? null : missingScript(command, cwd, env)
  if (missing !== null) throw scriptMissing(missing, request, result)
  const { exitCode, timedOut, stdoutTail: stdout, stderrTail: stderr } = result
  return { exitCode, signal: result.signal, timedOut, stdout, stderr }
}

const CASE_TAG = 'AGENT_EVALS_CASE'

function environmentOf({ copy, config, env, runTag }: ScriptRequest): Readonly<Record<string, string>> {
  const [tagName = '', ...tagValue] = runTag.split('=')
  return {
    ...hostEnvironment({ home: copy.home, tmp: copy.tmp, node: process.execPath }, process.env),
    ...config.env,
    ...env,
    // The format's own example says `.`, which a script in another folder could not use.
    PACKAGE_ROOT: resolve(copy.root, config.env['PACKAGE_ROOT'] ?? '.'),
    [CASE_TAG]: randomUUID(),
    [tagName]: tagValue.join('='),
  }
}

function notStarted({ cwd }: ScriptRequest, { code, message }: { code: string; message: string }): AgentEvalsError {
  const what = code === 'ENOENT' ? `There is no program "sh", or no folder ${cwd}` : message
  return new AgentEvalsError('script-not-started', `The script could not be started: ${what}.`)
}

function scriptMissing(script: string, { copy }: ScriptRequest, { stderrTail }: ProcessResult): AgentEvalsError {
  const path = isAbsolute(script) ? relative(copy.root, script) : script
  const printed = stderrTail.trim().replaceAll(`${copy.root}/`, '').slice(0, 500)
  return new AgentEvalsError(
    'missing-input',
    `The command names ${path}, which does not exist in the package. Correct the path or add the file.${printed === '' ? '' : `\n\n${printed}`}`,
  )
}
