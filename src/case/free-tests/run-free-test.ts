import { lstatSync, mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describeMiss, keepEnds } from '../../checks/contains.ts'
import type { Assertion, CommandTest, SkillTest } from '../../formats/free-tests/test-suite.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject, tryParseJson, type JsonValue } from '../../lib/json.ts'
import { gutter } from '../../lib/text.ts'
import type { AgentPackage, Command } from '../../packages/package.ts'
import { rerunCommand } from '../../report/rerun-command.ts'
import type { PackageCopy } from '../../session/package-copy.ts'
import { performHookTest } from './hook-test.ts'
import { hookRuntimeOf, nativePayload } from './hook-payload.ts'
import { keptParts, runScript, timedOut, type AssertRequest, type Output, type Performed } from './script.ts'

/** What a free test found. */
export interface AssertResult {
  /** Why nothing was run; `null` when something was. */
  readonly skipped: string | null
  /** The run itself went wrong, so that no expectation was looked at. */
  readonly broken: AssertFinding | null
  /** One for each expectation, in their order. */
  readonly findings: readonly AssertFinding[]
}

/**
 * Runs one free test in a copy of its package and checks what came out.
 *
 * @throws {AgentEvalsError} when it could not be run: a file that it needs is missing, or it was stopped.
 */
export async function runAssertCase(request: AssertRequest): Promise<AssertResult> {
  const pkg = await request.packages.packageOf(request.suite.packageRoot)
  const performed = await perform(request, pkg)
  switch (performed.kind) {
    case 'skipped':
      return { skipped: performed.reason, broken: null, findings: [] }
    case 'broken': {
      const { message, expected, actual, output } = performed
      const broken = {
        outcome: 'failed',
        message: describeAssertion(message, output, request),
        expected,
        actual,
      } as const
      return { skipped: null, broken, findings: [] }
    }
    case 'ended': {
      const findings = request.assertCase.assertions.map((assertion) => checkOutput(assertion, performed.output))
      return { skipped: null, broken: null, findings: explainFirst(findings, performed.output, request) }
    }
  }
}

async function perform(request: AssertRequest, pkg: AgentPackage): Promise<Performed> {
  const { assertCase } = request
  if (assertCase.kind === 'command') return performCommandTest(assertCase, pkg)
  using copy = request.copies.take(pkg)
  return assertCase.kind === 'skill'
    ? await performSkillTest(assertCase, copy, request)
    : await performHookTest(assertCase, pkg, copy, request)
}

// The output is shown once, however many expectations it disappoints.
function explainFirst(
  findings: readonly AssertFinding[],
  output: Parameters<typeof describeAssertion>[1],
  request: AssertRequest,
): readonly AssertFinding[] {
  const first = findings.findIndex(({ outcome }) => outcome === 'failed')
  return findings.map((finding, index) =>
    index === first && finding.outcome === 'failed'
      ? { ...finding, message: describeAssertion(finding.message, output, request) }
      : finding,
  )
}

/** What a person needs beside the one sentence: the script's output, a hint, and how to run just this case again. */
function describeAssertion(headline: string, output: Output | null, request: AssertRequest): string {
  const { suite, assertCase, settings } = request
  const file = relative(settings.root, suite.file)
  const sections = [
    headline,
    output === null ? '' : nativeHint(request),
    section('stdout', output?.stdout ?? ''),
    section('stderr', output?.stderr ?? ''),
    section('run again', rerunCommand({ file, at: assertCase.at }, settings)),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

function nativeHint({ assertCase, runtime }: AssertRequest): string {
  if (runtime === null || assertCase.kind !== 'hook') return ''
  const native = nativePayload(assertCase, hookRuntimeOf(runtime), { cwd: '', transcript: '' })
  if (native.payload === null) return ''
  const tool = native.payload['tool_name']
  const other =
    tool === assertCase.payload['toolName']
      ? ''
      : ` It has another tool for this, \`${JSON.stringify(tool)}\`, with other fields.`
  return (
    `${hookRuntimeOf(runtime).title} sends ${native.renamed.join(', ')}: a script that reads only the test's spelling misses it ` +
    `in a real session. Let it read both, such as \`event.tool_name ?? event.toolName\`.${other}`
  )
}

const MOST_SHOWN = 1200

function section(title: string, text: string): string {
  return text.trim() === '' ? '' : `${title}:\n${gutter(keepEnds(text.trim(), MOST_SHOWN))}`
}

/** Renders a command's template. */
function performCommandTest(test: CommandTest, pkg: AgentPackage): Performed {
  const command = pkg.commands.find(({ name }) => name === test.command)
  if (command === undefined) {
    throw new AgentEvalsError(
      'missing-input',
      `The package has no command ${JSON.stringify(test.command)} any more. Run again.`,
    )
  }
  const { text, problems } = renderCommand(command, test.variables)
  const output = { exitCode: null, signal: null, stdout: text ?? '', stderr: problems.join('\n'), json: undefined }
  const isRefusalWanted = test.assertions.some(({ kind }) => kind === 'error-contains')
  if (text !== null || isRefusalWanted) return { kind: 'ended', output }
  return {
    kind: 'broken',
    message: `expected the command to be rendered but ${problems.join('; ')}`,
    expected: 'a rendered text',
    actual: problems.join('\n'),
    output: null,
  }
}

/** Runs a skill's command in the skill's folder. */
async function performSkillTest(test: SkillTest, copy: PackageCopy, request: AssertRequest): Promise<Performed> {
  const { suite, settings, signal } = request
  const { config } = suite
  const cwd = join(copy.root, relative(suite.packageRoot, suite.partDir))
  requireFiles(test, cwd, suite.file)
  // A folder that holds nothing but cases has left nothing to copy.
  mkdirSync(cwd, { recursive: true })
  const ended = await runScript({
    command: test.command,
    cwd,
    copy,
    config,
    stdin: test.stdin,
    deadlineMs: config.timeout * 1000,
    runTag: settings.runTag,
    signal,
  })
  const output = { ...ended, json: tryParseJson(ended.stdout) }
  return ended.timedOut ? timedOut(config.timeout, 'the command', output) : { kind: 'ended', output }
}

function requireFiles(test: SkillTest, cwd: string, file: string): void {
  const missing = test.files.filter(({ path }) => !isFileOrFolder(join(cwd, path)))
  if (missing.length === 0) return
  const places = missing.map(({ path, at }) => `${path} (line ${at.line})`).join(', ')
  throw new AgentEvalsError(
    'missing-input',
    `The test needs files that are not in the skill's folder: ${places}. Add them, or correct \`input.files\` in ${file}.`,
  )
}

function isFileOrFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true || found?.isDirectory() === true
}

/** A command's text, or why it cannot be rendered. */
type Rendered =
  | { readonly text: string; readonly problems: readonly [] }
  | { readonly text: null; readonly problems: readonly string[] }

/** Puts values into a command's `{{name}}` places: given ones, else defaults; an optional one without either is empty. */
export function renderCommand(command: Command, inputs: Readonly<Record<string, string>>): Rendered {
  const values = new Map<string, string>()
  const problems: string[] = []
  for (const variable of command.variables) {
    const { name } = variable
    const value = Object.hasOwn(inputs, name) ? inputs[name] : (variable.default ?? undefined)
    if (value === undefined && variable.required) problems.push(`the required variable "${name}" has no value`)
    if (value !== undefined && variable.enum !== null && !variable.enum.includes(value)) {
      problems.push(`"${name}" is ${JSON.stringify(value)}; it may be ${variable.enum.join(', ')}`)
    }
    values.set(name, value ?? '')
  }
  // In one pass, so that a value that holds braces is not taken for a place.
  const text = command.body.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (place, name: string) => {
    const value = values.get(name)
    if (value === undefined) problems.push(`${place} is not a variable of the command`)
    return value ?? place
  })
  return problems.length === 0 ? { text, problems: [] } : { text: null, problems }
}

/** How an expectation came out; both sides for a diff where they are no output, which is shown apart and once. */
type AssertFinding =
  | { readonly outcome: 'passed'; readonly message: '' }
  | { readonly outcome: 'failed'; readonly message: string; readonly expected?: string; readonly actual?: string }

/** Checks one expectation. What was cut away from a huge output can hold anything, so nothing is shown to be absent. */
export function checkOutput(assertion: Assertion, output: Output): AssertFinding {
  switch (assertion.kind) {
    case 'exit-code':
      return checkExitCode(assertion.value, output)
    case 'stdout-json':
      return checkJson(assertion.value, output)
    case 'not-contains':
      return checkAbsent(assertion.value, output)
    case 'stdout-contains':
      return checkPresent(assertion.value, 'stdout', output.stdout)
    case 'stderr-contains':
      return checkPresent(assertion.value, 'stderr', output.stderr)
    case 'contains':
      return checkPresent(assertion.value, 'the text', output.stdout)
    case 'error-contains':
      return checkPresent(assertion.value, 'the error', output.stderr)
  }
}

const PASSED: AssertFinding = { outcome: 'passed', message: '' }

function checkExitCode(value: number, { exitCode, signal }: Output): AssertFinding {
  if (exitCode === value) return PASSED
  const actual = exitCode === null ? `ended by ${signal ?? 'a signal'}` : String(exitCode)
  const hint = exitCode === 127 ? ': the shell did not find a command' : ''
  const message = `expected exit code ${value} but got ${actual}${hint}`
  return { outcome: 'failed', message, expected: String(value), actual }
}

function checkPresent(value: string, name: string, text: string): AssertFinding {
  const parts = keptParts(text)
  if (parts.some((part) => part.includes(value))) return PASSED
  const reason =
    parts.length > 1 ? `it does not in ${CUT}` : describeMiss(value, text).replace('output', name.replace('the ', ''))
  const message = `expected ${name} to contain ${JSON.stringify(value)} but ${reason}`
  return { outcome: 'failed', message }
}

function checkAbsent(value: string, { stdout, stderr }: Output): AssertFinding {
  for (const [name, text] of Object.entries({ stdout, stderr })) {
    const parts = keptParts(text)
    const found = parts.find((part) => part.includes(value))
    if (found !== undefined) {
      const message = `expected the output not to contain ${JSON.stringify(value)} but ${name} does`
      // The line, since only the ends of a long output are shown.
      return { outcome: 'failed', message, expected: `no ${JSON.stringify(value)}`, actual: linesWith(value, found) }
    }
    if (parts.length > 1) {
      const message = `expected the output not to contain ${JSON.stringify(value)}, which is unknown: ${name} is too long, and only ${CUT} were kept`
      return { outcome: 'failed', message }
    }
  }
  return PASSED
}

const CUT = 'its first and last 512 KiB'

function checkJson(
  value: Extract<Assertion, { kind: 'stdout-json' }>['value'],
  { json, stdout }: Output,
): AssertFinding {
  const expected = JSON.stringify(value, null, 2)
  if (json === undefined) {
    const what = stdout.trim() === '' ? 'there is no output' : 'it is not JSON as a whole'
    return { outcome: 'failed', message: `expected stdout to be JSON but ${what}` }
  }
  if (matchesPartially(json, value)) return PASSED
  const actual = keepEnds(JSON.stringify(comparedPart(json, value), null, 2))
  return { outcome: 'failed', message: 'expected stdout to contain this JSON but it differs', expected, actual }
}

function linesWith(value: string, text: string): string {
  const at = text.indexOf(value)
  const start = text.lastIndexOf('\n', at) + 1
  const end = text.indexOf('\n', at + value.length)
  return keepEnds(text.slice(start, end === -1 ? undefined : end))
}

/** Whether everything in `expected` is in `actual`: objects may hold more, lists have the same length. */
export function matchesPartially(actual: JsonValue | undefined, expected: JsonValue | undefined): boolean {
  if (Array.isArray(expected)) {
    const list: readonly JsonValue[] = expected
    if (!Array.isArray(actual)) return false
    const found: readonly JsonValue[] = actual
    return found.length === list.length && list.every((item, index) => matchesPartially(found[index], item))
  }
  if (!isJsonObject(expected)) return actual === expected
  if (!isJsonObject(actual)) return false
  return Object.keys(expected).every(
    (key) => Object.hasOwn(actual, key) && matchesPartially(actual[key], expected[key]),
  )
}

/** What of `actual` is compared with `expected`, so that a diff shows nothing else. */
export function comparedPart(actual: JsonValue | undefined, expected: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const list: readonly JsonValue[] = expected
    return actual.map((item: JsonValue, index) => comparedPart(item, list[index]) ?? null)
  }
  if (!isJsonObject(expected) || !isJsonObject(actual)) return actual
  const keys = Object.keys(expected).filter((key) => Object.hasOwn(actual, key))
  return Object.fromEntries(keys.map((key) => [key, comparedPart(actual[key], expected[key])]))
}
