import { basename, join } from 'node:path'
import { z } from 'zod'
import { documentAt, type ReadDocument } from '../lib/documents/document.ts'
import { readDocument } from '../lib/documents/read-document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { validate } from '../lib/documents/validate.ts'
import { isJsonObject, type JsonObject } from '../lib/json.ts'
import {
  findingsOf,
  joinLoaded,
  type Loaded,
  type Command,
  type HookGroup,
  type McpServer,
  type Skill,
  type SubAgent,
} from './package.ts'
import { joinHooks, loadHooks, loadNativeHooks } from './hooks.ts'
import { loadCommand, loadLegacyAgent } from './markdown-parts.ts'
import { joinSkills, loadOneSkill, loadSkills } from './skills.ts'

/** Where the parts of a Claude Code layout are; absolute paths, and what is missing has no parts. */
export interface NativeFiles {
  /** Folders of skills, and folders that are a skill. */
  readonly skills: readonly string[]
  /** Folders, and single files. */
  readonly commands: readonly string[]
  /** Folders, and single files. */
  readonly agents: readonly string[]
  readonly hooks: readonly NativeFile[]
  readonly mcp: readonly NativeFile[]
}

/** A file, or the part of a manifest that replaces one. */
interface NativeFile {
  readonly file: string
  readonly inline?: ReadDocument
}

/** Reads the skills of a Claude Code layout. */
export async function loadNativeSkills(paths: readonly string[], fs: TrackedFs): Promise<Loaded<Skill>> {
  return joinSkills(
    await Promise.all(
      paths.map((path) =>
        fs.look(join(path, 'SKILL.md')) === null ? loadSkills(path, fs) : loadOneSkill(path, basename(path), fs),
      ),
    ),
  )
}

/** Reads the commands of a Claude Code layout. They are called `plugin:folder:name`, as far as there is one. */
export async function loadNativeCommands(
  paths: readonly string[],
  plugin: string | null,
  fs: TrackedFs,
): Promise<Loaded<Command>> {
  const files = (await Promise.all(paths.map((path) => markdownBelow(path, fs)))).flat()
  const prefix = plugin === null ? [] : [plugin]
  return joinLoaded(
    await Promise.all(
      files.map(({ file, below }) => loadCommand(file, fs, [...prefix, ...below, basename(file, '.md')].join(':'))),
    ),
  )
}

/** Reads the agents of a Claude Code layout, which are called by the name in their front matter. */
export async function loadNativeAgents(paths: readonly string[], fs: TrackedFs): Promise<Loaded<SubAgent>> {
  const files = (await Promise.all(paths.map((path) => markdownBelow(path, fs)))).flat()
  // Tests beside agents are none.
  const agents = files.filter(({ below }) => !below.includes('tests'))
  return joinLoaded(await Promise.all(agents.map(({ file }) => loadLegacyAgent(file, fs, { isNative: true }))))
}

/** Reads the hooks of a Claude Code layout. */
export async function loadHookFiles(files: readonly NativeFile[], fs: TrackedFs): Promise<Loaded<HookGroup>> {
  const loaded = withoutTwins(files).map(async ({ file, inline }) => {
    if (inline === undefined) return loadHooks(file, fs)
    const isWrapped = isJsonObject(inline.value) && isJsonObject(inline.value['hooks'])
    return loadNativeHooks(inline, isWrapped ? ['hooks'] : [])
  })
  return joinHooks(await Promise.all(loaded))
}

/** Reads the `hooks` of a settings file; its other settings have no effect here. */
export async function loadSettingsHooks(file: string, fs: TrackedFs): Promise<Loaded<HookGroup>> {
  if (fs.look(file) === null) return { parts: [], findings: [] }
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return { parts: [], findings: findingsOf(null, [issue]) }
  const document = readDocument(text, { kind: 'json', file, what: 'settings' })
  if (document.issues.length > 0) return { parts: [], findings: findingsOf(null, document.issues) }
  const hasHooks = isJsonObject(document.value) && document.value['hooks'] !== undefined
  return hasHooks ? loadNativeHooks(document, ['hooks']) : { parts: [], findings: [] }
}

/** Reads the MCP servers of a Claude Code layout. */
export async function loadServerFiles(files: readonly NativeFile[], fs: TrackedFs): Promise<Loaded<McpServer>> {
  const loaded = withoutTwins(files).map(async ({ file, inline }): Promise<Loaded<McpServer>> => {
    if (inline !== undefined) return loadNativeServers(inline)
    if (fs.look(file) === null) return { parts: [], findings: [] }
    const { text, issue } = await fs.readText(file)
    if (issue !== null) return { parts: [], findings: findingsOf(null, [issue]) }
    return loadNativeServers(readDocument(text, { kind: 'json', file, what: 'servers' }))
  })
  return joinLoaded(await Promise.all(loaded))
}

// A manifest may name the file that is read anyway.
function withoutTwins(files: readonly NativeFile[]): readonly NativeFile[] {
  return [...new Map(files.map((one) => [one.inline ?? one.file, one])).values()]
}

interface MarkdownFile {
  readonly file: string
  /** Folders between the path that was asked for and the file. */
  readonly below: readonly string[]
}

async function markdownBelow(
  path: string,
  fs: TrackedFs,
  below: readonly string[] = [],
): Promise<readonly MarkdownFile[]> {
  if (fs.look(path)?.isFile() === true) return [{ file: path, below }]
  if (below.length > MAX_LEVELS) return []
  const found = await Promise.all(
    (await fs.list(path)).map(async (entry): Promise<readonly MarkdownFile[]> => {
      if (entry.name.startsWith('.')) return []
      const inner = join(path, entry.name)
      if (entry.isDirectory()) return markdownBelow(inner, fs, [...below, entry.name])
      return entry.name.endsWith('.md') && entry.name !== 'README.md' ? [{ file: inner, below }] : []
    }),
  )
  return found.flat()
}

const MAX_LEVELS = 4

type ServerFields = Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>> | undefined>>

const texts = z.record(z.string(), z.string()).optional()

const TYPES = 'expected "stdio" with a command, or "http" or "sse" with a url'

const localSchema: z.ZodType<ServerFields> = z.strictObject({
  type: z.enum(['stdio'], { error: TYPES }).optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: texts,
  envFile: z.string().optional(),
  cwd: z.string().optional(),
})

const remoteSchema: z.ZodType<ServerFields> = z.strictObject({
  type: z.enum(['http', 'sse'], { error: TYPES }),
  url: z.string().min(1),
  headers: texts,
})

// Claude Code has more kinds of servers, and more fields.
const nativeSchema: z.ZodType<JsonObject> = z
  .record(z.string(), z.json())
  .refine(({ command, url }) => typeof command === 'string' || typeof url === 'string', 'needs a command or a url')

const fileSchema = z.strictObject({
  servers: z.record(z.string(), z.unknown()),
  inputs: z.array(z.unknown()).optional(),
})

/** Reads servers.json server by server, so that a mistake costs only the server it is in. */
export async function loadMcpServers(file: string, fs: TrackedFs): Promise<Loaded<McpServer>> {
  if (fs.look(file) === null) return { parts: [], findings: [] }
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return { parts: [], findings: findingsOf(null, [issue]) }

  const document = readDocument(text, { kind: 'json', file, what: 'servers' })
  const checked = validate(document, fileSchema)
  const findings = findingsOf(null, checked.issues)
  const names = Object.keys(checked.value?.servers ?? {})
  return joinLoaded([{ parts: [], findings }, ...names.map((name) => loadServer(name, document))])
}

/** Reads servers as Claude Code's `.mcp.json` has them: below `mcpServers`, or as the whole object. */
function loadNativeServers(document: ReadDocument): Loaded<McpServer> {
  const path = isJsonObject(document.value) && document.value['mcpServers'] !== undefined ? ['mcpServers'] : []
  const written = documentAt(document, path)
  const { value, issues } = validate(written, z.record(z.string(), z.unknown()))
  const servers = Object.keys(value ?? {}).map((name): Loaded<McpServer> => {
    const checked = validate(documentAt(written, [name]), nativeSchema)
    return {
      parts: checked.value === null ? [] : [{ name, config: checked.value }],
      findings: findingsOf({ kind: 'mcp', name }, checked.issues),
    }
  })
  return joinLoaded([{ parts: [], findings: findingsOf(null, issues) }, ...servers])
}

function loadServer(name: string, document: ReadDocument): Loaded<McpServer> {
  const written = documentAt(document, ['servers', name])
  const { type, url } = isJsonObject(written.value) ? written.value : {}
  const isRemote = url !== undefined || type === 'http' || type === 'sse'
  const { value, issues } = validate(written, isRemote ? remoteSchema : localSchema)
  return {
    parts: value === null ? [] : [{ name, config: value }],
    findings: findingsOf({ kind: 'mcp', name }, issues),
  }
}
