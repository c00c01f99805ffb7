import type { HookTest } from '../../formats/free-tests/test-suite.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject, tryParseJson, type JsonObject, type JsonValue } from '../../lib/json.ts'
import { matchesWhole } from '../../lib/patterns.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import { nativeVariables } from '../../packages/package-root.ts'
import type { AgentPackage, Hook, HookGroup } from '../../packages/package.ts'
import type { PackageCopy } from '../../session/package-copy.ts'
import { hookRuntimeOf, nativePayload, type Runtime } from './hook-payload.ts'
import { runScript, timedOut, type AssertRequest, type Output, type Performed, type ScriptEnd } from './script.ts'

/** Runs the commands of one group of hooks in their order, until one blocks. */
export async function performHookTest(
  test: HookTest,
  pkg: AgentPackage,
  copy: PackageCopy,
  request: AssertRequest,
): Promise<Performed> {
  const group = findGroup(test, pkg)
  const mismatch = checkMatcher(test, group)
  if (mismatch !== null) return mismatch
  const commands = group.hooks.filter((hook) => hook.type === 'command')
  if (commands.length === 0) {
    return {
      kind: 'skipped',
      reason:
        'the group has no hook that is a command, and others need a model or a network; test it with an eval of hook:' +
        test.event,
    }
  }
  const event = spell(test, request.runtime ?? (group.native === undefined ? null : DEFAULT_ENGINE), copy)
  if (event.payload === null) return { kind: 'skipped', reason: event.reason }

  const ends: ScriptEnd[] = []
  const deadline = performance.now() + request.suite.config.timeout * 1000
  for (const hook of commands) {
    const leftMs = deadline - performance.now()
    const ended = await runHook(
      { hook, isNative: group.native !== undefined, payload: event.payload, leftMs },
      test,
      copy,
      request,
    )
    ends.push(ended)
    if (ended.timedOut) {
      return timedOut(
        Math.min(hook.timeout, request.suite.config.timeout),
        `the hook \`${hook.command}\``,
        merge(ends, test),
      )
    }
    if (ended.exitCode === BLOCKS) break
  }
  return judgeExit(test, merge(ends, test))
}

const BLOCKS = 2

function findGroup(test: HookTest, pkg: AgentPackage): HookGroup {
  const group = pkg.hookGroups.find(({ event, index }) => event === test.event && index === test.hookIndex)
  if (group !== undefined) return group
  throw new AgentEvalsError(
    'missing-input',
    `hooks.json has no group ${test.hookIndex} for ${test.event} any more. Run again.`,
  )
}

function checkMatcher(test: HookTest, { matcher }: HookGroup): Performed | null {
  const tool = test.payload['toolName'] ?? test.payload['tool_name']
  if (matcher === null || !TOOL_EVENTS.has(test.event)) return null
  // Engines match the whole name: `Edit` is not for `NotebookEdit`.
  if (typeof tool === 'string' && matchesWhole(matcher, tool)) return null
  const actual =
    tool === undefined ? 'no toolName in the event' : typeof tool === 'string' ? tool : JSON.stringify(tool)
  return {
    kind: 'broken',
    message: `expected an event for group ${test.hookIndex} of ${test.event}, but its matcher ${JSON.stringify(matcher)} does not match ${tool === undefined ? actual : JSON.stringify(tool)}`,
    expected: matcher,
    actual,
    output: null,
  }
}

const TOOL_EVENTS: ReadonlySet<string> = new Set(['pre-tool-use', 'permission-request', 'post-tool-use'])

function spell(
  test: HookTest,
  runtime: Runtime | null,
  copy: PackageCopy,
): { readonly payload: JsonObject; readonly reason: null } | { readonly payload: null; readonly reason: string } {
  if (runtime === null) return { payload: test.payload, reason: null }
  return nativePayload(test, hookRuntimeOf(runtime), { cwd: copy.root, transcript: copy.transcript })
}

interface HookRun {
  readonly hook: Hook & { readonly type: 'command' }
  readonly isNative: boolean
  readonly payload: JsonObject
  readonly leftMs: number
}

function runHook(
  { hook, isNative, payload, leftMs }: HookRun,
  test: HookTest,
  copy: PackageCopy,
  { suite, settings, runtime, signal }: AssertRequest,
): Promise<ScriptEnd> {
  return runScript({
    command: hook.command,
    cwd: copy.root,
    copy,
    config: suite.config,
    // The shell itself puts `${PACKAGE_ROOT}` and `${file}` into the command.
    env: { file: touchedFile(test.payload), ...variablesOf(isNative, runtime, copy) },
    stdin: JSON.stringify(payload),
    deadlineMs: Math.max(1, Math.min(hook.timeout * 1000, leftMs)),
    runTag: settings.runTag,
    signal,
  })
}

function variablesOf(isNative: boolean, runtime: Runtime | null, copy: PackageCopy): Readonly<Record<string, string>> {
  if (isNative) return nativeVariables({ packageRoot: copy.root, workspace: copy.root, home: copy.home })
  return runtime === null ? {} : hookRuntimeOf(runtime).variables(copy.root)
}

function touchedFile(payload: JsonObject): string {
  const input = payload['toolInput'] ?? payload['tool_input']
  if (!isJsonObject(input)) return ''
  const path = input['file_path'] ?? input['notebook_path'] ?? input['path']
  return typeof path === 'string' ? path : ''
}

// As an engine sees the group: one that blocks blocks it all, else the first that failed.
function merge(ends: readonly ScriptEnd[], { event }: HookTest): Output {
  const decisive = ends.find(({ exitCode }) => exitCode === BLOCKS) ?? ends.find(({ exitCode }) => exitCode !== 0)
  const { exitCode, signal } = decisive ?? { exitCode: 0, signal: null }
  const answers = ends.map(({ stdout }) => tryParseJson(stdout))
  const stdout = ends.map((end) => end.stdout).join('')
  const native = findHookEvent(event)?.native
  const json = mergeAnswers(answers)
  return {
    exitCode,
    signal,
    stdout,
    stderr: ends.map((end) => end.stderr).join(''),
    json: inUniversalSpelling(json, native, event),
  }
}

// A script may answer in the words of the runtime that asked it.
function inUniversalSpelling(
  json: JsonValue | undefined,
  native: string | undefined,
  event: string,
): JsonValue | undefined {
  if (!isJsonObject(json) || !isJsonObject(json['hookSpecificOutput'])) return json
  if (json['hookSpecificOutput']['hookEventName'] !== native) return json
  return { ...json, hookSpecificOutput: { ...json['hookSpecificOutput'], hookEventName: event } }
}

// The format states no default. 0 and 2 are the codes that say something; with any other the hook has failed.
function judgeExit(test: HookTest, output: Output): Performed {
  const isDeclared = test.assertions.some(({ kind }) => kind === 'exit-code')
  if (isDeclared || output.exitCode === 0 || output.exitCode === BLOCKS) return { kind: 'ended', output }
  const actual = output.exitCode === null ? `ended by ${output.signal ?? 'a signal'}` : String(output.exitCode)
  return {
    kind: 'broken',
    message: `expected exit code 0 (allows) or 2 (blocks) but got ${actual}, which engines ignore; add \`exit-code\` if it is intended`,
    expected: '0 or 2',
    actual,
    output,
  }
}

/** What several hooks answered as one: a later word replaces an earlier one, but no permission lifts a refusal. */
export function mergeAnswers(answers: readonly (JsonValue | undefined)[]): JsonValue | undefined {
  const defined = answers.filter((answer) => answer !== undefined)
  if (defined.length < 2) return defined[0]
  if (!defined.every(isJsonObject)) return defined.at(-1)
  return defined.reduce<JsonObject>((merged, answer) => mergeObjects(merged, answer), {})
}

function mergeObjects(earlier: JsonObject, later: JsonObject): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...earlier }
  for (const [key, value] of Object.entries(later)) {
    const before = earlier[key]
    if (isJsonObject(before) && isJsonObject(value)) merged[key] = mergeObjects(before, value)
    else if (key !== 'permissionDecision' || strictness(value) >= strictness(before)) merged[key] = value
  }
  return merged
}

function strictness(decision: JsonValue | undefined): number {
  return typeof decision === 'string' ? ['allow', 'ask', 'deny'].indexOf(decision) : -1
}
