import { randomUUID } from 'node:crypto'
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path'
import type { RunnableTest, TestConfig, TestSuite } from '../../formats/free-tests/test-suite.ts'
import type { SuiteCache } from '../../formats/format.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { listNames } from '../../lib/files.ts'
import type { JsonValue } from '../../lib/json.ts'
import { hostEnvironment } from '../../sandbox/environment.ts'
import { runProcess, type ProcessResult } from '../../sandbox/process/run-process.ts'
import type { PackageCopies, PackageCopy } from '../../session/package-copy.ts'
import type { Runtime } from './hook-payload.ts'
import { missingScript } from './missing-script.ts'

/** One shell command in a copy of the package. */
interface ScriptRequest {
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
  const result = await runProcess('sh', ['-c', command], {
    cwd,
    env,
    stdin: request.stdin ?? undefined,
    signal,
    deadlineMs,
    graceMs: 0,
    tag,
  })
  if (result.aborted) throw new AgentEvalsError('cancelled', 'The run was stopped before the script had ended.')
  if (result.spawnError !== null) throw notStarted(request, result.spawnError)
  const missing = result.exitCode === 0 ? null : missingScript(command, cwd, env)
  if (missing !== null) throw scriptMissing(missing, request, result)
  const { exitCode, timedOut: ranOut, stdoutTail: stdout, stderrTail: stderr } = result
  return { exitCode, signal: result.signal, timedOut: ranOut, stdout, stderr }
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

function notStarted({ cwd }: ScriptRequest, { code, message }: NodeJS.ErrnoException): AgentEvalsError {
  const what = code === 'ENOENT' ? `There is no program "sh", or no folder ${cwd}` : message
  return new AgentEvalsError('script-not-started', `The script could not be started: ${what}.`)
}

function scriptMissing(script: string, { copy, cwd }: ScriptRequest, { stderrTail }: ProcessResult): AgentEvalsError {
  const path = isAbsolute(script) ? relative(copy.root, script) : script
  const hint = suggestName(basename(script), listNames(dirname(resolve(cwd, script))))
  const printed = stderrTail.trim().replaceAll(`${copy.root}/`, '').slice(0, 500)
  return new AgentEvalsError(
    'missing-input',
    `The command names ${path}, which does not exist in the package. Correct the path or add the file.${hint}${printed === '' ? '' : `\n\n${printed}`}`,
  )
}

/** What the main process tells every worker about free tests: plain JSON, the same for a whole run. */
export interface AssertSettings {
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Where Vitest was started. */
  readonly cwd: string
  /** Command line that runs the project; a filter completes it. */
  readonly command: string
  /** Absolute path of the folder for copies of packages. */
  readonly copies: string
  /** `NAME=value` in the environment of every script of the run. */
  readonly runTag: string
}

/** One free test to run, and what it shares with the others of its worker. */
export interface AssertRequest {
  readonly suite: Omit<TestSuite, 'cases' | 'issues'>
  readonly assertCase: RunnableTest
  /** The runtime in whose spelling a hook's event is sent; `null`: as the format spells it. */
  readonly runtime: Runtime | null
  readonly settings: AssertSettings
  readonly packages: Pick<SuiteCache, 'packageOf'>
  readonly copies: PackageCopies
  /** Aborts when the test times out or the run is stopped. */
  readonly signal: AbortSignal
}

/** What came of running a test, before its expectations are looked at. */
export type Performed =
  | { readonly kind: 'ended'; readonly output: Output }
  | { readonly kind: 'skipped'; readonly reason: string }
  /** The subject did wrong in a way that leaves nothing to check. */
  | {
      readonly kind: 'broken'
      readonly message: string
      readonly expected: string
      readonly actual: string
      readonly output: Output | null
    }

/** The end of what did not end by itself. */
export function timedOut(seconds: number, what: string, output: Output): Performed {
  return {
    kind: 'broken',
    message: `expected ${what} to end within ${seconds} s but it was still running and was killed`,
    expected: `ends within ${seconds} s`,
    actual: 'still running',
    output,
  }
}

/** What a free test has brought forth, for its assertions. */
export interface Output {
  /** `null` when it was ended by a signal, or when no process ran. */
  readonly exitCode: number | null
  /** Such as `SIGSEGV`. */
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** The JSON on stdout; `undefined` when it is none. */
  readonly json: JsonValue | undefined
}

/** What was kept of a text that was printed: the whole, or its start and its end. */
export function keptParts(text: string): readonly string[] {
  return text.length > KEPT_AT_LEAST ? text.split(/\n\[\d+ bytes left out\]\n/) : [text]
}

// A shorter text is whole, whatever it says of itself.
const KEPT_AT_LEAST = 500_000
