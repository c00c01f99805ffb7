import { AgentEvalsError } from '../../lib/errors.ts'
import { noTool } from '../../checks/calls.ts'
import { maxCostUsd, maxSeconds, maxTokens, maxTurns, type LimitFields } from '../../checks/limits.ts'
import { matches } from '../../checks/matches.ts'
import type { CheckFields, CheckKind, Finding, SeenFile } from '../../checks/check.ts'
import { awaitJudge } from './judge-by-matcher.ts'
import {
  noteCheck,
  noteLinkedCheck,
  requireLink,
  expectation,
  requireArguments,
  requireRun,
  type MatcherResult,
  type MatcherState,
} from './received.ts'
import type { JsonSchemaFields } from '../../checks/json-schema.ts'
import type { FileTextFields } from '../../checks/file-contains.ts'
import type { JsonObject } from '../../lib/json.ts'

/** Passes when a regular expression finds something in the agent's output. */
export function toMatchOutput(this: MatcherState, received: unknown, pattern: RegExp): MatcherResult {
  requireArguments('toMatchOutput', arguments)
  const fields = { value: pattern.source, flags: pattern.flags.replaceAll(/[^imsu]/g, '') }
  return decide(this, received, 'toMatchOutput', matches, fields)
}

/** Passes when the agent did not call a tool; without a name, when it called none at all. */
export function toHaveCalledNoTool(this: MatcherState, received: unknown, name?: string): MatcherResult {
  requireArguments('toHaveCalledNoTool', arguments)
  return decide(this, received, 'toHaveCalledNoTool', noTool, { value: name ?? true })
}

/** Passes when a file of the workspace contains a text at the end. */
export function toHaveFileContaining(
  this: MatcherState,
  received: unknown,
  path: string,
  text: string,
): Promise<MatcherResult> {
  requireArguments('toHaveFileContaining', arguments)
  return decideByFiles(this, received, 'toHaveFileContaining', loadFileContains, { value: path, text })
}

/** Where the JSON is. */
export interface JsonSchemaOptions {
  /** A file of the workspace. Default: the final message. */
  readonly path?: string
}

/** Passes when a file, or the final message, is JSON that a schema accepts. */
export function toMatchJsonSchema(
  this: MatcherState,
  received: unknown,
  schema: Readonly<Record<string, unknown>>,
  options: JsonSchemaOptions = {},
): Promise<MatcherResult> {
  requireArguments('toMatchJsonSchema', arguments)
  const { path = '' } = options
  const fields = { value: path, schema: schema as JsonObject }
  return decideByFiles(this, received, 'toMatchJsonSchema', loadJsonSchema, fields)
}

/** Passes when the run cost at most so many US dollars. */
export function toHaveMaxCostUsd(this: MatcherState, received: unknown, most: number): MatcherResult {
  requireArguments('toHaveMaxCostUsd', arguments)
  return limit(this, received, 'toHaveMaxCostUsd', maxCostUsd, most)
}

/** Passes when the run took at most so many seconds. */
export function toHaveMaxSeconds(this: MatcherState, received: unknown, most: number): MatcherResult {
  requireArguments('toHaveMaxSeconds', arguments)
  return limit(this, received, 'toHaveMaxSeconds', maxSeconds, most)
}

/** Passes when a model answered at most so often. */
export function toHaveMaxTurns(this: MatcherState, received: unknown, most: number): MatcherResult {
  requireArguments('toHaveMaxTurns', arguments)
  return limit(this, received, 'toHaveMaxTurns', maxTurns, most)
}

/** Passes when the run used at most so many tokens. */
export function toHaveMaxTokens(this: MatcherState, received: unknown, most: number): MatcherResult {
  requireArguments('toHaveMaxTokens', arguments)
  return limit(this, received, 'toHaveMaxTokens', maxTokens, most)
}

function limit(
  state: MatcherState,
  received: unknown,
  matcher: string,
  kind: CheckKind<LimitFields>,
  value: number,
): MatcherResult {
  return decide(state, received, matcher, kind, { value })
}

function decide<Fields extends CheckFields>(
  state: MatcherState,
  received: unknown,
  matcher: string,
  kind: CheckKind<Fields>,
  fields: Fields,
): MatcherResult {
  const run = requireRun(received, matcher)
  const finding = kind.run(fields, { run, hook: null, read: () => 'unknown' })
  return noteCheck(state, received, matcher, labelOf(kind, fields), resultOf(state, finding, kind.describe(fields)))
}

// The workspace is there until the test ends.
function decideByFiles<Fields extends CheckFields>(
  state: MatcherState,
  received: unknown,
  matcher: string,
  load: () => Promise<CheckKind<Fields>>,
  fields: Fields,
): Promise<MatcherResult> {
  const run = requireRun(received, matcher)
  const link = requireLink(run, matcher)
  return awaitJudge(matcher, link, async () => {
    const [kind, { readIn }] = await Promise.all([load(), import('../../case/assess/inspect-workspace.ts')])
    const { workspace } = link.continuable
    const files = new Map<string, SeenFile>()
    for (const path of kind.reads?.(fields, run) ?? [])
      files.set(path, workspace === null ? 'unknown' : await readIn(workspace.workspace)(path))
    const seen = { run, hook: null, read: (path: string) => files.get(path) ?? ('unknown' as const) }
    const finding = (await kind.observe?.(fields, seen)) ?? kind.run(fields, seen)
    const result = resultOf(state, finding, kind.describe(fields))
    return noteLinkedCheck(state, link, matcher, labelOf(kind, fields), result)
  })
}

// Every worker loads the matchers, and few tests need these.
const loadFileContains = async (): Promise<CheckKind<FileTextFields>> =>
  (await import('../../checks/file-contains.ts')).fileContains
const loadJsonSchema = async (): Promise<CheckKind<JsonSchemaFields>> =>
  (await import('../../checks/json-schema.ts')).jsonSchema

function labelOf<Fields extends CheckFields>(kind: CheckKind<Fields>, fields: Fields): string {
  return kind.label?.(fields) ?? String(fields.value)
}

// `.not` would make a pass of what could not be decided.
function resultOf(state: MatcherState, finding: Finding, what: string): MatcherResult {
  const { outcome, message = '', expected, actual } = finding
  if (outcome === 'errored') throw new AgentEvalsError('workspace-failed', message)
  return {
    pass: outcome === 'passed',
    message: () => (outcome === 'passed' ? expectation(state, `break this: ${what}`) : message),
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  }
}
