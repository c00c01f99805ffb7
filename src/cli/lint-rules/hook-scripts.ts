import { folderVariables } from '../../packages/root-variables.ts'
import { missingScript, unexecutableScript } from '../../assert/missing-script.ts'
import { errorAt, warningAt, type ReadDocument } from '../../documents/document.ts'
import { readDocument } from '../../documents/read-document.ts'
import { readText } from '../../documents/read-text.ts'
import { nearestName } from '../../documents/nearest-name.ts'
import { allOf } from '../../engines/registry.ts'
import type { Issue } from '../../documents/issue.ts'
import type { AgentPackage, HookGroup } from '../../packages/package.ts'
import { engines } from '../../engines/registry.ts'

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
  const known = isOfTool ? tools : SOURCES[event]
  if (matcher === null || known === undefined) return []
  const names = matcher.split('|').filter((name) => /^\w+$/.test(name) && !known.includes(name))
  return names
    .filter((name) => !name.startsWith('mcp__'))
    .map((name) => {
      const near = nearestName(name, known)
      if (near !== null)
        return `matches no ${isOfTool ? 'tool' : 'source'} ${JSON.stringify(name)}; names are case-sensitive. Did you mean ${JSON.stringify(near)}?`
      return isOfTool
        ? `no tool of the engines is called ${JSON.stringify(name)}; unless a newer version has one, the hook never runs for it`
        : `${JSON.stringify(name)} is no source of ${event}, so the hook never runs; there are ${known.join(', ')}`
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
