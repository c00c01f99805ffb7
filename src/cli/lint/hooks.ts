import { missingScript, unexecutableScript } from '../../case/free-tests/missing-script.ts'
import { claudeCode } from '../../engines/claude-code/engine.ts'
import { errorAt, warningAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { readText } from '../../lib/documents/read-text.ts'
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
    const tools = claudeCode.toolNames ?? []
    const unmatched = [
      ...permissionRules(group, tools),
      ...(group.native === undefined ? [] : unmatchedNames(group, tools)),
    ]
    return [
      ...unmatched.map((message) => warningAt(document, [...place.path, 'matcher'], 'unknown-tool', message)),
      ...group.hooks.flatMap((hook, position) =>
        hook.type === 'command'
          ? lookAtCommand(hook.command, pkg, env, { document, path: [...place.path, 'hooks', position, 'command'] })
          : [],
      ),
    ]
  })
}

function lookAtCommand(
  command: string,
  pkg: AgentPackage,
  env: Readonly<Record<string, string | undefined>>,
  { document, path }: { readonly document: ReadDocument; readonly path: HookPlace['path'] },
): readonly Issue[] {
  const unquoted = unquotedRoot(command)
  const breaks = `is not in double quotes, so the command breaks where the path has a blank; write "${unquoted}"`
  const quoting = unquoted === null ? [] : [warningAt(document, path, 'unquoted-path', `${unquoted} ${breaks}`)]
  if (!isKnown(command, env)) return quoting
  const missing = missingScript(command, pkg.root, env)
  if (missing !== null)
    return [...quoting, errorAt(document, path, 'missing-script', `there is no script ${shown(missing, pkg)}`)]
  const script = unexecutableScript(command, pkg.root, env)
  if (script === null) return quoting
  const message = `${shown(script, pkg)} is not executable; run chmod +x ${shown(script, pkg)}`
  return [...quoting, errorAt(document, path, 'not-executable', message)]
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
