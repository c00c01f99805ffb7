import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { missingScript, unexecutableScript } from '../../case/free-tests/missing-script.ts'
import { findUnknownName, type DeclaredCheck, kindOf as kindOfCheck } from '../../checks/checks.ts'
import { isPathBelow } from '../../checks/file-facts.ts'
import { claudeCode } from '../../engines/claude-code/engine.ts'
import { allOf } from '../../engines/registry.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { errorAt, warningAt, warningIn, type Issue, type ReadDocument, errorIn } from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { readText } from '../../lib/documents/read-text.ts'
import { collisionKey } from '../../lib/documents/relative-path.ts'
import { findHookEvent, isTooEarly } from '../../packages/hook-events.ts'
import { folderVariables } from '../../packages/package-root.ts'
import { eventsOfHooks, type AgentPackage, type HookGroup } from '../../packages/package.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { SuiteCache } from '../../formats/format.ts'
import type { LoadedScenario } from '../../gateway/sources/load-scenario.ts'
import type { ScenarioTurn } from '../../gateway/sources/scenario-file.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { SessionNames } from '../../transcript/transcript.ts'

/**
 * Errors for hooks whose script is not there or cannot be started, and warnings for matchers that match no tool: an engine
 * takes that for consent, or for a block.
 */
export async function findHopelessHooks(pkg: AgentPackage): Promise<readonly Issue[]> {
  const files = [...new Set(pkg.hookGroups.flatMap((group) => placeOf(group, pkg)?.file ?? []))]
  const documents = new Map(await Promise.all(files.map(async (file) => [file, await readHooks(file)] as const)))
  const env = { ...process.env, ...folderVariables({ packageRoot: pkg.root, workspace: pkg.root }) }
  return pkg.hookGroups.flatMap((group) => {
    const place = placeOf(group, pkg)
    const document = documents.get(place?.file ?? '') ?? null
    if (place === null || document === null) return []
    const tools = claudeCode.toolNames ?? []
    const unmatched = [
      ...permissionRules(group, tools),
      ...(group.native === undefined ? [] : unmatchedNames(group, tools)),
    ]
    const matchers = unmatched.map((message) =>
      warningAt(document, [...place.path, 'matcher'], 'unknown-tool', message),
    )
    const commands = group.hooks.flatMap((hook, position) => {
      if (hook.type !== 'command') return []
      const path = [...place.path, 'hooks', position, 'command']
      const unquoted = unquotedRoot(hook.command)
      const quoting =
        unquoted === null
          ? []
          : [
              warningAt(
                document,
                path,
                'unquoted-path',
                `${unquoted} is not in double quotes, so the command breaks where the path has a blank; write "${unquoted}"`,
              ),
            ]
      if (!isKnown(hook.command, env)) return quoting
      const missing = missingScript(hook.command, pkg.root, env)
      if (missing !== null)
        return [...quoting, errorAt(document, path, 'missing-script', `there is no script ${shown(missing, pkg)}`)]
      const script = unexecutableScript(hook.command, pkg.root, env)
      if (script === null) return quoting
      const message = `${shown(script, pkg)} is not executable; run chmod +x ${shown(script, pkg)}`
      return [...quoting, errorAt(document, path, 'not-executable', message)]
    })
    return [...matchers, ...commands]
  })
}

function shown(script: string, { root }: AgentPackage): string {
  return script.replace(`${root}/`, '')
}

// A literal name that no engine here has may be of a newer one: it is named, and a near one is proposed.
function unmatchedNames({ event, matcher }: HookGroup, tools: readonly string[]): readonly string[] {
  const isOfTool = TOOL_EVENTS.has(event)
  const values = isOfTool ? tools : SOURCES[event]
  if (matcher === null || values === undefined) return []
  const names = matcher.split('|').filter((name) => /^\w+$/.test(name) && !values.includes(name))
  return names
    .filter((name) => !name.startsWith('mcp__'))
    .map((name) => {
      const near = nearestName(name, values)
      if (near !== null)
        return `matches no ${isOfTool ? 'tool' : 'source'} ${JSON.stringify(name)}; names are case-sensitive. Did you mean ${JSON.stringify(near)}?`
      return isOfTool
        ? `no tool of the engines is called ${JSON.stringify(name)}; unless a newer version has one, the hook never runs for it`
        : `${JSON.stringify(name)} is no source of ${event}, so the hook never runs; there are ${values.join(', ')}`
    })
}

// `Bash(ls:*)` is a rule of permissions; a matcher is a pattern for the name of the tool alone.
function permissionRules({ event, matcher }: HookGroup, tools: readonly string[]): readonly string[] {
  if (matcher === null || !TOOL_EVENTS.has(event)) return []
  return matcher.split('|').flatMap((rule) => {
    const [, tool = ''] = /^(\w+)\(.+\)$/.exec(rule) ?? []
    if (!tools.includes(tool) || tools.some((name) => new RegExp(`^(?:${rule})$`).test(name))) return []
    return [
      `${JSON.stringify(rule)} matches no tool: it is a permission rule, and a matcher sees only the name of the tool. Write ${JSON.stringify(tool)}, and look at the input in the hook`,
    ]
  })
}

// Claude Code puts the path in before a shell takes the command apart.
function unquotedRoot(command: string): string | null {
  const bare = command.replaceAll(/"[^"]*"|'[^']*'/g, '')
  return /\$(?:\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)[^\s"';&|<>]*/.exec(bare)?.[0] ?? null
}

const TOOL_EVENTS: ReadonlySet<string> = new Set(['pre-tool-use', 'permission-request', 'post-tool-use'])

// What the matcher of Claude Code's other events names.
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  'session-start': ['startup', 'resume', 'clear', 'compact'],
  'pre-compact': ['manual', 'auto'],
}

interface HookPlace {
  readonly file: string
  readonly path: readonly (string | number)[]
}

function placeOf({ native, event, index }: HookGroup, { hooksFile }: AgentPackage): HookPlace | null {
  if (native !== undefined) return native
  return hooksFile === null ? null : { file: hooksFile, path: ['hooks', event, index] }
}

async function readHooks(file: string): Promise<ReadDocument | null> {
  const { text } = await readText(file)
  return text === null ? null : readDocument(text, { kind: 'json', file, what: 'hooks' })
}

// What a variable of the session will hold is not known here.
function isKnown(command: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return [...command.matchAll(/\$\{?(\w+)\}?/g)].every(([, name = '']) => env[name] !== undefined)
}

type PackageParts = Pick<AgentPackage, 'hookGroups' | 'layout' | 'manifest'>

/** Warnings for cases that can never pass, or only by a change of the agent's own configuration. */
export function findHopelessCases(suite: Suite, pkg: PackageParts): readonly Issue[] {
  return suite.cases.flatMap((evalCase) =>
    evalCase.checks.flatMap((check) => {
      const message = whyHopeless(check, evalCase, suite, pkg)
      return message === null ? [] : [warningIn(suite.file, 'never-passes', message, check.at)]
    }),
  )
}

function whyHopeless(check: DeclaredCheck, evalCase: EvalCase, suite: Suite, pkg: PackageParts): string | null {
  if (check.kind === 'not-contains') {
    const { value } = check
    const both = evalCase.checks.find((other) => other.kind === 'contains' && other.value.includes(value))
    return both === undefined
      ? null
      : `the output has to contain ${JSON.stringify(both.value)}, which contains this text`
  }
  if (check.kind === 'agent-blocked') return check.value ? whyNeverBlocked(evalCase, pkg) : null
  return check.kind === 'files-created' ? whyNeverCreated(check.value, evalCase, suite, pkg) : null
}

function whyNeverBlocked({ target }: EvalCase, pkg: PackageParts): string | null {
  const events = eventsOfHooks(pkg)
  const counted = target?.kind === 'hook' ? events.filter((event) => event === target.name) : events
  if (counted.some((event) => findHookEvent(event)?.canBlock !== false)) return null
  const [early, late] = [counted.filter(isTooEarly), counted.filter((event) => !isTooEarly(event))]
  const why = [
    ...(early.length === 0 ? [] : [`a hook of ${early.join(' or ')} runs too early`]),
    ...(late.length === 0 ? [] : [`a hook of ${late.join(' or ')} runs too late`]),
  ].join(' and ')
  return why === ''
    ? 'no hook of the package can block the agent, so it is never blocked'
    : `${why} to block the agent; only a hook such as pre-tool-use can`
}

function whyNeverCreated(path: string, evalCase: EvalCase, { config }: Suite, pkg: PackageParts): string | null {
  if (/[*?]/.test(path) || (/\{[^{},]*,/.test(path) && path.includes('}')))
    return 'a path is expected, not a pattern: no file has this name'
  const key = collisionKey(path)
  const isManifest = key === 'package.agent.json' && pkg.manifest !== null && pkg.layout === undefined
  if (isManifest || isThereBefore(path, evalCase))
    return 'the file exists before the run, so the agent cannot create it'
  const allowed = config.writablePaths?.map(collisionKey)
  const isWritable = allowed?.some((folder) => isPathBelow(key, folder) || isPathBelow(folder, key)) ?? true
  if (!isWritable)
    return `the agent cannot write there: "writable-paths" of eval-config.json has only ${config.writablePaths?.join(', ')}`
  const ownFolder = allOf('ownPaths').find((folder) => isPathBelow(key, folder))
  return ownFolder === undefined
    ? null
    : `${ownFolder} holds the agent's own configuration, and a file of the package there exists before the run; expect the file elsewhere, such as in output/`
}

function isThereBefore(path: string, { files, workspaceFiles, overlays = [] }: EvalCase): boolean {
  const target = path.replace(/^\.\//, '')
  if ([...files, ...workspaceFiles].some(({ to }) => to === target)) return true
  return overlays.some((overlay) => lstatSync(join(overlay, target), { throwIfNoEntry: false })?.isFile() === true)
}

/** Whether a project has engines of its own, whose tools nobody knows. */
export function hasOwnEngines(options: Pick<ResolvedOptions, 'engineModules'> | undefined): boolean {
  return Object.keys(options?.engineModules ?? {}).length > 0
}

/** What names are looked up in before a run. */
interface NameRequest {
  readonly cache: Pick<SuiteCache, 'packageFor' | 'pluginsOf'>
  readonly knowsTools: boolean
}

/**
 * Errors for names in checks and graders that are almost those of a skill or a server of the package, or of a tool of an
 * engine. Whether a session has what is called otherwise is known when it runs.
 */
export async function findUnknownNames(suite: Suite, request: NameRequest): Promise<readonly Issue[]> {
  const found = await Promise.all(
    suite.cases.map(async (evalCase) => {
      const { graders = [] } = kindOf(evalCase).pluginCase(evalCase) ?? {}
      const checks = [
        ...evalCase.checks.map((check) => ({ field: check.kind, at: check.at, check })),
        ...graders.flatMap((one) => ('check' in one ? [{ field: one.name, at: one.at, check: one.check }] : [])),
      ].map((one) => ({ ...one, asked: kindOfCheck(one.check.kind)?.names?.(one.check) ?? {} }))
      // Most cases name nothing, and their packages need not be read.
      if (checks.every(({ asked }) => Object.keys(asked).length === 0)) return []
      const run = { names: await namesBefore(suite, evalCase, request), transcript: [] }
      const hasOverlays = (evalCase.overlays ?? []).length > 0
      return checks.flatMap(({ field, at, asked }): readonly Issue[] => {
        // An overlay may hold further skills.
        const unknown = findUnknownName(hasOverlays ? { tools: asked.tools ?? [] } : asked, run)
        return unknown?.isNear === true ? [{ ...errorIn(suite.file, 'unknown-name', unknown.message, at), field }] : []
      })
    }),
  )
  return found.flat()
}

/** Errors for tools in a scenario that are almost those of an engine. */
export function findUnknownTools(
  file: string,
  loaded: LoadedScenario | null,
  pkg: Pick<AgentPackage, 'mcpServers'>,
): readonly Issue[] {
  const run = { names: { skills: [], ...toolsBefore([pkg]) }, transcript: [] }
  const inTurns = (turns: readonly ScenarioTurn[]): readonly Issue[] =>
    turns.flatMap(({ line, tools }) =>
      tools.flatMap((call) => {
        const unknown = findUnknownName({ tools: [call.name] }, run)
        const at = { line, column: 1 }
        return [
          ...(unknown?.isNear === true ? [errorIn(file, 'unknown-name', unknown.message, at)] : []),
          ...inTurns(call.turns ?? []),
        ]
      }),
    )
  return inTurns([...(loaded?.scenario?.turns ?? []), ...(loaded?.scenario?.side ?? [])])
}

async function namesBefore(
  suite: Suite,
  evalCase: EvalCase,
  { cache, knowsTools }: NameRequest,
): Promise<SessionNames> {
  const packages = [await cache.packageFor(suite, evalCase), ...(await cache.pluginsOf(suite, evalCase))]
  const tools = toolsBefore(packages)
  const skills = packages.flatMap((pkg) => [
    ...pkg.skills.map(({ name, alias = name }) => [name, alias]),
    ...pkg.commands.map(({ name }) => [name]),
  ])
  return { skills, servers: tools.servers, tools: knowsTools ? tools.tools : null }
}

function toolsBefore(packages: readonly Pick<AgentPackage, 'mcpServers'>[]): Omit<SessionNames, 'skills'> {
  const servers = packages.flatMap(({ mcpServers }) => mcpServers).map(({ name }) => name)
  // Which tools a server has is known when it has started.
  const known = [...allOf('toolNames'), ...servers.map((name) => `mcp__${name}`)]
  return { servers, tools: Object.fromEntries(known.map((name) => [name, name])) }
}
