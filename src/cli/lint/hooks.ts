import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { missingScript, unexecutableScript } from '../../case/free-tests/script.ts'
import type { DeclaredCheck } from '../../checks/checks.ts'
import { isPathBelow } from '../../checks/file-facts.ts'
import { allOf, engines } from '../../engines/registry.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { errorAt, warningAt, warningIn, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { readText } from '../../lib/documents/read-text.ts'
import { collisionKey } from '../../lib/documents/relative-path.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import { folderVariables } from '../../packages/package-root.ts'
import type { AgentPackage, HookGroup } from '../../packages/package.ts'

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
    const unmatched = group.native === undefined ? [] : unmatchedNames(group, allOf('toolNames', engines))
    const matchers = unmatched.map((message) =>
      warningAt(document, [...place.path, 'matcher'], 'unknown-tool', message),
    )
    const commands = group.hooks.flatMap((hook, position) => {
      if (hook.type !== 'command' || !isKnown(hook.command, env)) return []
      const path = [...place.path, 'hooks', position, 'command']
      const missing = missingScript(hook.command, pkg.root, env)
      if (missing !== null)
        return [errorAt(document, path, 'missing-script', `there is no script ${shown(missing, pkg)}`)]
      const script = unexecutableScript(hook.command, pkg.root, env)
      if (script === null) return []
      const message = `${shown(script, pkg)} is not executable; run chmod +x ${shown(script, pkg)}`
      return [errorAt(document, path, 'not-executable', message)]
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

function whyNeverBlocked({ target }: EvalCase, { hookGroups }: PackageParts): string | null {
  const events = [...new Set(hookGroups.map(({ event }) => event))]
  const counted = target?.kind === 'hook' ? events.filter((event) => event === target.name) : events
  if (counted.some((event) => findHookEvent(event)?.canBlock !== false)) return null
  return counted.length === 0
    ? 'no hook of the package can block the agent, so it is never blocked'
    : `a hook of ${counted.join(' or ')} runs too late to block the agent; only a hook such as pre-tool-use can`
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
