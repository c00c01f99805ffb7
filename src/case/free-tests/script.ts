import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, relative, resolve } from 'node:path'
import type { HookRuntime } from '../../engines/hooks/hook-plan.ts'
import { engines } from '../../engines/registry.ts'
import type { HookTest, RunnableTest, TestConfig, TestSuite } from '../../formats/free-tests/test-suite.ts'
import type { SuiteCache } from '../../formats/format.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { isFile, listNames } from '../../lib/files.ts'
import type { JsonObject, JsonValue } from '../../lib/json.ts'
import { commandWords } from '../../lib/text.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import { hostEnvironment } from '../../sandbox/environment.ts'
import { runProcess, type ProcessResult } from '../../sandbox/process/run-process.ts'
import type { PackageCopies, PackageCopy } from '../../session/package-copy.ts'

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

/**
 * The script that a command names and that is not there, or `null`. Interpreters exit 1, 2 or 127 for one, and 2
 * is also how a hook blocks: a test must not take an absent guard for a strict one.
 */
export function missingScript(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const plain = commandWords(command, env)
  for (const [index, word] of plain.entries()) {
    const script = isInterpreter(word) ? plain.slice(index + 1).find((next) => !next.startsWith('-')) : word
    if (script === undefined || !isScript(script) || (script === word && !startsCommand(plain, index))) continue
    if (!existsSync(resolve(cwd, script))) return script
  }
  return null
}

/** The script that a command starts without an interpreter, and that is not executable; `null` where there is none. */
export function unexecutableScript(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  // Windows knows no such permission.
  if (process.platform === 'win32') return null
  const words = commandWords(command, env)
  const started = words.filter((_, index) => startsCommand(words, index))
  return started.find((word) => isFile(resolve(cwd, word)) && !isExecutable(resolve(cwd, word))) ?? null
}

function isExecutable(file: string): boolean {
  return (statSync(file).mode & 0o111) !== 0
}

function isInterpreter(word: string): boolean {
  return /^(?:sh|bash|dash|zsh|ksh|node|bun|deno|python[\d.]*|ruby|perl|php|Rscript)$/.test(basename(word))
}

// `node -e CODE` and `python -m MODULE` name no file; a file has an extension of a language, and its folders may have blanks.
function isScript(word: string): boolean {
  return (
    /^\.(?:[cm]?[jt]s|bash|php|pl|py|r|rb|sh|zsh)$/i.test(extname(word)) &&
    !/[\t\r\n(){}*?]/.test(word) &&
    !basename(word).includes(' ')
  )
}

function startsCommand(words: readonly string[], index: number): boolean {
  const before = words[index - 1]
  const isPath = words[index]?.includes('/') === true
  return isPath && (before === undefined || /^[;&|\n]+$/.test(before) || /^\w+=/.test(before))
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

/** Name of an engine that sends hooks events in a shape of its own. */
export type Runtime = string

/** How an engine sends events to hooks. */
export function hookRuntimeOf(name: Runtime): HookRuntime {
  const runtime = engines[name]?.hookRuntime
  if (runtime !== undefined) return runtime
  throw new AgentEvalsError('unsupported-engine', `The engine "${name}" does not define the format of its hook events.`)
}

/** Where the event takes place. */
interface PayloadPaths {
  readonly cwd: string
  readonly transcript: string
}

/** An event as the runtime sends it, or why it never sends such a one. */
type NativePayload =
  | { readonly payload: JsonObject; readonly renamed: readonly string[]; readonly reason: null }
  | { readonly payload: null; readonly reason: string }

/** Rewrites a test's event into what a runtime really sends. */
export function nativePayload(
  { event, payload }: HookTest,
  { fields, toolCall }: HookRuntime,
  paths: PayloadPaths,
): NativePayload {
  const native = findHookEvent(event)?.native ?? event
  const written = Object.entries(payload).map(([key, value]) => [nativeKey(key), value] as const)
  const renamed = Object.keys(payload).flatMap((key) =>
    nativeKey(key) === key ? [] : [`\`${nativeKey(key)}\` for \`${key}\``],
  )
  const isTool = TOOL_EVENTS.has(event)
  const common: JsonObject = {
    session_id: '00000000-0000-4000-8000-000000000000',
    transcript_path: paths.transcript,
    cwd: paths.cwd,
    ...fields,
    ...(isTool ? { tool_use_id: 'toolu_000000000000000000000001' } : {}),
    ...Object.fromEntries(written),
    hook_event_name: native,
  }
  if (!isTool) return { payload: common, renamed, reason: null }
  const tool = toolCall(common['tool_name'], common['tool_input'])
  if (typeof tool === 'string') return { payload: null, reason: tool }
  return { payload: { ...common, ...tool }, renamed, reason: null }
}

const TOOL_EVENTS: ReadonlySet<string> = new Set(['pre-tool-use', 'permission-request', 'post-tool-use'])

function nativeKey(key: string): string {
  return SPECIAL_KEYS[key] ?? key.replaceAll(/(?<=[a-z0-9])([A-Z])/g, (letter) => `_${letter.toLowerCase()}`)
}

const SPECIAL_KEYS: Readonly<Record<string, string | undefined>> = {
  toolOutput: 'tool_response',
  toolResult: 'tool_response',
  userPrompt: 'prompt',
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
