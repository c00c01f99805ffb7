import { join } from 'node:path'
import { valueAt } from '../lib/documents/document.ts'
import { readFrontMatter } from '../lib/documents/read-document.ts'
import { readTextFile } from '../lib/files.ts'
import { mapLeaves, type JsonObject, type JsonValue } from '../lib/json.ts'
import { INSTRUCTIONS_FILE, PROJECT_FOLDER, SERVERS_FILE, folderVariables } from '../packages/package-root.ts'
import type { AgentPackage, Command, CommandVariable, Rule, SubAgent } from '../packages/package.ts'
import type { InstallRequest, Installation, SessionPaths } from './engine.ts'

/** Copies the rest of a project's own configuration to where it is in the project, such as scripts of hooks. */
export function copyProject({ root, only = [] }: AgentPackage): Installation['copies'] {
  const paths = only.filter((path) => !INSTALLED.has(path))
  return paths.map((path) => ({
    from: join(root, path),
    to: path,
    exclude: path === PROJECT_FOLDER ? INSTALLED_BELOW : [],
    optional: true,
  }))
}

// These are installed part by part.
const INSTALLED: ReadonlySet<string> = new Set([
  SERVERS_FILE,
  INSTRUCTIONS_FILE,
  'agents',
  'commands',
  'mcp',
  'rules',
  'skills',
])
const INSTALLED_BELOW = ['agents', 'commands', 'evals', 'settings.json', 'skills']

/** Copies the asked skills below `folder` of the workspace, without what would give the answers away. */
export function copySkills(request: InstallRequest, folder: string): Pick<Installation, 'copies' | 'warnings'> {
  const byName = new Map(request.package.skills.map((skill) => [skill.name, skill]))
  const missing = request.skills.filter((name) => !byName.has(name))
  const found = request.skills.flatMap((name) => byName.get(name) ?? [])
  return {
    copies: found.map(({ name, dir }) => ({ from: dir, to: `${folder}/${name}`, exclude: ['tests', 'evals'] })),
    warnings: missing.map((name) => `The skill "${name}" is not in ${request.package.root}, so it is not installed.`),
  }
}

/** Copies the package's AGENTS.md to where engines look for it, and what it imports; a project has its imports among its parts. */
export function copyInstructions({ package: pkg }: InstallRequest): Installation['copies'] {
  const { instructionsFile, root, only, imports = [] } = pkg
  if (instructionsFile === null) return []
  const copies =
    only === undefined ? imports.map((path) => ({ from: join(root, path), to: path, exclude: [], optional: true })) : []
  return [{ from: instructionsFile, to: INSTRUCTIONS_FILE, exclude: [] }, ...copies]
}

/** Says which settings of a project an engine other than Claude Code does not have, in one sentence. */
export function describeSettings({ settings, root }: AgentPackage, engine: string): readonly string[] {
  if (settings === undefined) return []
  const lost = [
    ...(settings.deny.length > 0 ? ['permissions.deny'] : []),
    ...Object.keys(settings.env).map((name) => `env.${name}`),
  ]
  if (lost.length === 0) return []
  return [
    `${join(root, PROJECT_FOLDER, 'settings.json')}: ${engine} has no such settings, so sessions run without ${lost.join(', ')}.`,
  ]
}

/** The variables by which a session keeps to folders of its own, and git to no configuration of the machine's. */
export function ownFolders({ home, tmp }: Pick<SessionPaths, 'home' | 'tmp'>): Readonly<Record<string, string>> {
  return {
    HOME: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
    TMPDIR: tmp,
    TMP: tmp,
    TEMP: tmp,
    GIT_CONFIG_NOSYSTEM: '1',
  }
}

/** The variables by which the gateway is reached without a proxy. */
export const PAST_PROXIES: Readonly<Record<string, string>> = {
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
}

/** A server whose variables are filled in, without what no session gets. */
export interface FilledServer {
  readonly name: string
  readonly config: JsonObject
  /** Absolute path as the session sees it; the format's default is the package. */
  readonly cwd: string
}

/** What {@link fillServers} returns. */
interface FilledServers {
  readonly servers: readonly FilledServer[]
  readonly warnings: readonly string[]
}

/**
 * MCP servers with their variables filled in: `${PACKAGE_ROOT}`, `${NAME}` and `${NAME:-default}` from the parent's
 * environment, `${input:id}` from `AGENT_EVALS_INPUT_<ID>`, since no user can be asked.
 */
export function fillServers(request: InstallRequest): FilledServers {
  const warnings: string[] = []
  const servers = request.package.mcpServers.map(({ name, config }) => {
    const where = `${request.package.mcpFile ?? 'servers.json'}: MCP server "${name}"`
    const warn = (text: string): void => void warnings.push(`${where} ${text}`)
    const filled = mapLeaves(config, (leaf) => (typeof leaf === 'string' ? fillText(leaf, request, warn) : leaf))
    const { envFile, cwd, ...rest } = filled
    if (envFile !== undefined)
      warn('has an envFile, which sessions cannot read; declare the variables under env instead.')
    if (typeof rest['url'] === 'string' && !request.network)
      warn('is remote, and the network of this session is closed.')
    return { name, config: rest, cwd: folderOf(cwd, defaultFolder(request)) }
  })
  return { servers, warnings }
}

// Claude Code starts the servers of its own layouts where the session is.
function defaultFolder({ package: { layout }, paths }: InstallRequest): string {
  return layout === undefined ? paths.packageRoot : paths.workspace
}

function folderOf(cwd: JsonValue | undefined, base: string): string {
  if (typeof cwd !== 'string') return base
  return cwd.startsWith('/') ? cwd : `${base}/${cwd}`
}

function fillText(text: string, { paths, environment }: InstallRequest, warn: (text: string) => void): string {
  const folders = folderVariables(paths)
  return text.replaceAll(VARIABLE, (_, input: string | undefined, name: string, fallback: string | undefined) => {
    const folder = input === undefined ? folders[name] : undefined
    if (folder !== undefined) return folder
    const variable = variableNamed(input, name)
    const found = environment[variable] ?? fallback
    if (found === undefined) warn(`needs ${variable}, which is not set, so it is empty.`)
    return found ?? ''
  })
}

const VARIABLE = /\$\{(input:)?([\w.-]+?)(?::-([^}]*))?\}/g

function variableNamed(input: string | undefined, name: string): string {
  return input === undefined ? name : `AGENT_EVALS_INPUT_${name.toUpperCase().replaceAll(/\W/g, '_')}`
}

/** The file below the folder of hooks that takes what an MCP server prints to its standard error. */
export function serverLog(name: string): string {
  return `mcp-${fileNameOf(name)}.log`
}

/** Names of the variables of this process that MCP servers of a package ask for. */
export function variablesAskedFor({ mcpServers }: Pick<AgentPackage, 'mcpServers'>): readonly string[] {
  const matches = JSON.stringify(mcpServers).matchAll(VARIABLE)
  return Array.from(matches, ([, input, name = '']) => variableNamed(input, name)).toSorted()
}

/** A rule with where it applies. */
interface ScopedRule {
  /** The whole file. */
  readonly text: string
  /** The file below its front matter. */
  readonly body: string
  /** `never` for one that the engine does not get. */
  readonly applies: 'always' | 'never' | 'to-files'
  /** Empty but for `to-files`. */
  readonly globs: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Reads a rule as it is for one engine that has no rules to name or to choose; `key` is that engine's name below `agents` in
 * the front matter, `engine` the one for people.
 */
export function readRule({ file }: Rule, key: string, engine: string): ScopedRule {
  const text = readTextFile(file)
  const { document, body, issues } = readFrontMatter(text, file)
  const rule = { text, body, applies: 'always', globs: [], warnings: [] } as const
  if (document === null || issues.length > 0) return { ...rule, body: text }

  const field = (...path: string[]): unknown => path.reduce<unknown>(valueAt, document.value)
  if (field('agents', key, 'enabled') === false) return { ...rule, applies: 'never' }
  const mode = field('apply', 'mode')
  if (mode === 'manual') {
    const warning = `${file}: the rule applies only when it is named; ${engine} has no such rules, so it is omitted.`
    return { ...rule, applies: 'never', warnings: [warning] }
  }
  if (mode === 'intelligent')
    return { ...rule, warnings: [`${file}: ${engine} has no rules that the agent chooses, so it always applies.`] }
  if (mode !== 'files') return rule
  return {
    ...rule,
    applies: 'to-files',
    globs: [field('apply', 'globs')].flat().filter((glob) => typeof glob === 'string'),
  }
}

/**
 * The tools that an agent lists, by the engine's own names, with the one for its skills: it could not use these otherwise.
 * `null` for an agent that inherits all tools.
 */
export function toolsOfAgent(
  { file, tools: listed, skills }: SubAgent,
  engine: string,
  namesOf: (tool: string) => readonly string[],
  skillTool: string,
): { readonly tools: readonly string[] | null; readonly warnings: readonly string[] } {
  const unknown = listed.filter((tool) => namesOf(tool).length === 0)
  const tools = [...new Set(listed.flatMap(namesOf))]
  const inherits = tools.length === 0 ? ' No known tool is left, so the agent inherits all tools.' : ''
  return {
    tools: tools.length === 0 ? null : [...new Set([...tools, ...(skills.length > 0 ? [skillTool] : [])])],
    warnings: unknown.map((tool) => `${file}: ${engine} has no tool "${tool}"; it is omitted.${inherits}`),
  }
}

/** A tool of an agent.yaml by what it does: it may have several names, such as `file_read` and `Read-File` for `read`. */
export function purposeOf(tool: string): string {
  return tool
    .toLowerCase()
    .replaceAll(/[-.\s]/g, '_')
    .replace(/^(?:file_(read|write|edit|search)|(read|write|edit)_file)$/, '$1$2')
    .replace(/^(?:bash|terminal)$/, 'shell')
}

/** What becomes of parts of a package on one engine. */
export type InstalledParts = Pick<Installation, 'files' | 'warnings'>

/** Installs parts one by one. */
export function installEach<Part>(parts: readonly Part[], install: (part: Part) => InstalledParts): InstalledParts {
  const installed = parts.map(install)
  return { files: installed.flatMap(({ files }) => files), warnings: installed.flatMap(({ warnings }) => warnings) }
}

/** Replaces a prompt that calls a command of the package by the command's text, for an engine that has no commands of a project. */
export function expandCommand(prompt: string, commands: readonly Command[]): string {
  const call = /^\/([^\s/]\S*)[^\S\n]*([^]*)$/.exec(prompt)
  const command = commands.find(({ name }) => name === call?.[1])
  if (command === undefined) return prompt
  const args = (call?.[2] ?? '').trim()
  const text = commandText(command)
  if (text.includes('$ARGUMENTS')) return text.replaceAll('$ARGUMENTS', () => args)
  return args === '' ? text : `${text.trimEnd()}\n\n${args}\n`
}

/**
 * A command's body for an engine that gives a command one text, `$ARGUMENTS`, and knows no named variables: their
 * `{{name}}` stay in the body, and a list below it gives the model their meaning.
 */
export function commandText(command: Command): string {
  return command.variables.length === 0 ? command.body : `${command.body.trimEnd()}\n\n${describe(command)}`
}

function describe({ body, variables }: Command): string {
  const source = body.includes('$ARGUMENTS') ? 'the arguments above' : 'these arguments: $ARGUMENTS'
  const list = variables.map((variable) => `- \`{{${variable.name}}}\`${facts(variable)}`)
  return `Replace each \`{{name}}\` above by its value, taken from ${source}\n\n${list.join('\n')}\n`
}

function facts({ description, required, enum: values, default: fallback }: CommandVariable): string {
  const parts = [
    ...(description === null ? [] : [description]),
    ...(values === null ? [] : [`one of ${values.join(', ')}`]),
    fallback === null ? (required ? 'required' : 'empty when not given') : `${JSON.stringify(fallback)} when not given`,
  ]
  return `: ${parts.join('; ')}`
}

/** A Markdown file with YAML front matter; JSON text is YAML, so that no value can break out of its line. */
export function withFrontMatter(
  fields: Readonly<Record<string, string | readonly string[] | null>>,
  body: string,
): string {
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${JSON.stringify(value)}`],
  )
  return `---\n${lines.join('\n')}\n---\n\n${body.trimStart()}`
}

/** A name as a file name: `@scope/name` becomes `scope--name`. */
export function fileNameOf(name: string): string {
  return name
    .replace(/^[@.]+/, '')
    .replaceAll('/', '--')
    .replaceAll(/[^\w.-]/g, '-')
}
