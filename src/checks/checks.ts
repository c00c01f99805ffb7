import { suggestName } from '../lib/documents/nearest-name.ts'
import { firstInSentence } from '../lib/lists.ts'
import { findMatch } from '../lib/patterns.ts'
import { plainName, skillsUsed, toolCalls } from '../transcript/select.ts'
import type { AgentRun, SessionNames } from '../transcript/transcript.ts'
import type { Position } from '../lib/documents/document.ts'
import { agentBlocked } from './agent-blocked.ts'
import { firstCalled, noTool, toolCalled, toolsInOrder } from './calls.ts'
import { keyOfTool } from './check.ts'
import { firstLine } from './hook-events.ts'
import type { AskedNames, CheckFields, CheckKind, CheckResult, Finding, RunScript, SeenFile, SeenRun } from './check.ts'
import { contains, notContains } from './contains.ts'
import { fileContains, fileNotContains } from './file-contains.ts'
import { fileExists, fileUnchanged, filesCreated, globCreated } from './files.ts'
import { hookOutput, hookRan } from './hook-ran.ts'
import { jsonSchema } from './json-schema.ts'
import { maxCostUsd, maxSeconds, maxTokens, maxTurns } from './limits.ts'
import { matches, notMatches } from './matches.ts'
import { script } from './script.ts'
import { noSkillUsed, skillNotUsed, skillUsed } from './skill-used.ts'

/** Every kind of check. Case files, `evals.json`, `list` and reports read this table. */
export const CHECKS = {
  contains,
  'not-contains': notContains,
  'files-created': filesCreated,
  'glob-created': globCreated,
  'agent-blocked': agentBlocked,
  'hook-ran': hookRan,
  'hook-output': hookOutput,
  matches,
  'not-matches': notMatches,
  'file-exists': fileExists,
  'file-unchanged': fileUnchanged,
  'file-contains': fileContains,
  'file-not-contains': fileNotContains,
  'tool-called': toolCalled,
  'first-called': firstCalled,
  'tools-in-order': toolsInOrder,
  'no-tool': noTool,
  'skill-used': skillUsed,
  'skill-not-used': skillNotUsed,
  'no-skill-used': noSkillUsed,
  'json-schema': jsonSchema,
  script,
  'max-cost-usd': maxCostUsd,
  'max-seconds': maxSeconds,
  'max-turns': maxTurns,
  'max-tokens': maxTokens,
}

type Table = typeof CHECKS

/** A check without its place in a file. */
export type AskedCheck = {
  [Kind in keyof Table]: { readonly kind: Kind } & (Table[Kind] extends CheckKind<infer Fields> ? Fields : never)
}[keyof Table]

/**
 * A deterministic expectation as declared; `says` is the author's own sentence for it, `turn` the one of several that it is
 * about, from 1.
 */
export type DeclaredCheck = AskedCheck & { readonly at: Position; readonly says?: string; readonly turn?: number }

// Each kind is given the fields that its own schema has made.
const KINDS: Readonly<Record<string, CheckKind<CheckFields>>> = CHECKS

/** What is particular to a kind of check; `undefined` for a name that is none. */
export function kindOf(name: string): CheckKind<CheckFields> | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
}

/** Checks one thing of a run. */
export function runCheck(check: AskedCheck, seen: SeenRun): Finding {
  const kind = kindOf(check.kind)
  if (kind === undefined) return { outcome: 'errored', message: `there is no check ${check.kind}` }
  const unknown = findUnknownName(kind.names?.(check) ?? {}, seen.run)
  if (unknown !== null) return { outcome: 'errored', code: 'unknown-name', message: unknown.message }
  return kind.run(check, seen)
}

/** One sentence on what is checked. */
export function describeCheck(check: AskedCheck): string {
  return kindOf(check.kind)?.describe(check) ?? check.kind
}

/** What the workspace has shown of declared checks, before it was removed. */
export interface SeenChecks {
  readonly read: SeenRun['read']
  /** What `observe` has found. */
  readonly found: ReadonlyMap<DeclaredCheck, Finding>
}

/** A workspace that nobody has looked at. */
export const NO_CHECK_SEEN: SeenChecks = { read: () => 'unknown', found: new Map() }

type CaseTarget = { readonly kind: string; readonly name: string } | null

/** Looks at the workspace for everything that declared checks need of it. */
export async function observeChecks(
  declared: readonly DeclaredCheck[],
  run: SeenRun['run'],
  target: CaseTarget,
  readFile: (path: string) => Promise<SeenFile>,
  runScript: RunScript,
): Promise<SeenChecks> {
  const paths = [...new Set(declared.flatMap((check) => kindOf(check.kind)?.reads?.(check, run) ?? []))]
  const files = new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)))
  const read: SeenRun['read'] = (path) => files.get(path) ?? 'unknown'
  const found = new Map<DeclaredCheck, Finding>()
  for (const check of declared) {
    const finding = await kindOf(check.kind)?.observe?.(check, { run, hook: hookOf(target), read, runScript })
    if (finding !== undefined) found.set(check, finding)
  }
  return { read, found }
}

/** Checks a completed run against what its case declares, in that order. All are run, so that one failure hides no other. */
export function runChecks(
  declared: readonly DeclaredCheck[],
  run: SeenRun['run'],
  target: CaseTarget,
  { read, found }: SeenChecks = NO_CHECK_SEEN,
): readonly CheckResult[] {
  const seen: SeenRun = { run, hook: hookOf(target), read }
  return declared.map((check) => {
    const { outcome, message = '', ...diff } = found.get(check) ?? runCheck(check, seen)
    const { kind, value, at, turn } = check
    return {
      kind,
      value: kindOf(kind)?.label?.(check) ?? (typeof value === 'number' ? String(value) : value),
      at,
      outcome,
      message: outcome === 'passed' ? '' : message,
      ...diff,
      ...('implied' in check && check.implied ? { implied: true } : {}),
      ...(turn === undefined ? {} : { turn }),
    }
  })
}

function hookOf(target: CaseTarget): string | null {
  return target?.kind === 'hook' ? target.name : null
}

/** A name that nobody knows. */
export interface UnknownName {
  readonly message: string
  /** True if a known name is almost the same. */
  readonly isNear: boolean
}

/**
 * Finds the first of these names that neither session, package nor engines know; `null` where all are known or may be.
 *
 * @internal
 */
export function findUnknownName(
  { tools = [], skills = [], skillWords = [] }: AskedNames,
  run: Pick<AgentRun, 'names' | 'transcript'>,
): UnknownName | null {
  const { names } = run
  if (names === undefined) return null
  const known = [...names.skills.flat(), ...skillsUsed(run)]
  const called = toolCalls(run).map(({ call }) => call.tool)
  const unknown = [
    ...skills.map((skill) => unknownSkill(skill, known)),
    ...tools.map((tool) => unknownTool(tool, names, called)),
    ...skillWords.map((pattern) => unknownSkillIn(pattern, names.skills.flat())),
  ]
  return unknown.find((one) => one !== null) ?? null
}

function unknownSkill(name: string, known: readonly string[]): UnknownName | null {
  const same = known.filter((one) => plainName(one) === plainName(name))
  const qualified = same.filter((one) => one.includes(':'))
  const isKnown = same.length > 0 && (!name.includes(':') || qualified.length === 0 || qualified.includes(name))
  return isKnown ? null : withNearest(`there is no skill ${JSON.stringify(name)}.`, name, known)
}

// A pattern may be about the rest of a call: only a name that is almost that of a skill is one that was meant.
function unknownSkillIn(pattern: string, skills: readonly string[]): UnknownName | null {
  const isCall = (skill: string): boolean => {
    const search = findMatch(pattern, '', JSON.stringify({ skill }))
    return 'problem' in search || search.found !== null
  }
  if (skills.some(isCall)) return null
  const known = skills.map(plainName)
  const words = Array.from(pattern.matchAll(/[\w-]{4,}/g), ([word]) => word)
  const unknown = words
    .filter((word) => word !== 'skill' && !known.includes(word))
    .map((word) => withNearest(`there is no skill ${JSON.stringify(word)}.`, word, known))
  return unknown.find(({ isNear }) => isNear) ?? null
}

// Says that there is no such tool; `null` where there may be one. `called` are tools that were called.
function unknownTool(
  name: string,
  { servers, tools, failedServers = {} }: SessionNames,
  called: readonly string[] = [],
): UnknownName | null {
  if (tools === null) return null
  const known = [...new Set([...Object.entries(tools).flat(), ...called])]
  const keys = new Set(known.map(keyOfTool))
  if (keys.has(keyOfTool(name))) return null
  const server = /^mcp__(.+?)__/.exec(name)?.[1]
  if (server === undefined) return withNearest(`there is no tool ${JSON.stringify(name)}.`, name, known, NOWHERE)
  // An engine may name a server alone, and its tools once they are searched for.
  if (servers === null || keys.has(keyOfTool(server))) return null
  const ofServer = known.filter((one) => keyOfTool(one).includes(keyOfTool(server)))
  if (ofServer.length > 0)
    return withNearest(`the MCP server ${JSON.stringify(server)} has no tool ${JSON.stringify(name)}.`, name, ofServer)
  if (servers.some((one) => keyOfTool(server).endsWith(keyOfTool(one)))) {
    const failed = Object.keys(failedServers).find((one) => keyOfTool(server).endsWith(keyOfTool(one))) ?? ''
    const why = failedServers[failed] ?? `The MCP server ${JSON.stringify(server)} did not start.`
    const message = `the tool ${JSON.stringify(name)} was not offered. ${why}`
    return { message, isNear: false }
  }
  return withNearest(`there is no MCP server ${JSON.stringify(server)}.`, server, servers)
}

const NOWHERE = ' No engine has one, and the session did not offer it.'

function withNearest(what: string, name: string, known: readonly string[], others?: string): UnknownName {
  const hint = suggestName(name, known)
  const listed = known.length === 0 ? '' : ` There are ${firstInSentence([...new Set(known)], 10)}.`
  return { message: `${what}${hint || (others ?? listed)}`, isNear: hint !== '' }
}

/**
 * Names a tool that a scenario calls and the engine does not have: its author meant another one.
 *
 * @internal
 */
export function describeUnknownTool(
  run: Pick<AgentRun, 'model' | 'names' | 'transcript'>,
  patterns: readonly RegExp[],
): string | null {
  if (run.model !== 'scenario') return null
  const calls = toolCalls(run)
  const found = calls.find(
    ({ result }) => result?.isError === true && patterns.some((pattern) => pattern.test(result.text)),
  )
  const { names } = run
  const unknown = names === undefined ? [] : calls.flatMap(({ call }) => unknownTool(call.tool, names) ?? [])
  // The reason why a server did not start says more than the engine's answer.
  if (unknown[0] !== undefined && (found === undefined || found.call.tool.startsWith('mcp__')))
    return `The scenario calls a tool that the session did not offer: ${unknown[0].message}`
  if (found === undefined) return null
  const { tool } = found.call
  const suggestion = suggestName(tool, Object.keys(names?.tools ?? {}))
  return `The scenario calls the tool ${JSON.stringify(tool)}, which the engine does not have: ${firstLine(found.result?.text ?? '')}${suggestion}`
}
