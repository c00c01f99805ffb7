import { basename, join } from 'node:path'
import { readDocument } from '../documents/read-document.ts'
import { isJsonObject } from '../json.ts'
import { findingsOf, joinLoaded, type Loaded } from './finding.ts'
import { loadCommand } from './commands.ts'
import { loadHooks } from './hooks.ts'
import { loadLegacyAgent } from './legacy-agent.ts'
import { loadNativeServers } from './mcp.ts'
import { joinHooks, loadNativeHooks } from './native-hooks.ts'
import { joinSkills, loadOneSkill, loadSkills } from './skills.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { ReadDocument } from '../documents/document.ts'
import type { Command, HookGroup, McpServer, Skill, SubAgent } from './package.ts'

/** Where the parts of a Claude Code layout are; absolute paths, and what is missing has no parts. */
export interface NativeSources {
  /** Folders of skills, and folders that are a skill. */
  readonly skills: readonly string[]
  /** Folders, and single files. */
  readonly commands: readonly string[]
  /** Folders, and single files. */
  readonly agents: readonly string[]
  readonly hooks: readonly NativeSource[]
  readonly mcp: readonly NativeSource[]
}

/** A file, or the part of a manifest that replaces one. */
export interface NativeSource {
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
  const own = files.filter(({ below }) => !below.includes('tests'))
  return joinLoaded(await Promise.all(own.map(({ file }) => loadLegacyAgent(file, fs, { isNative: true }))))
}

/** Reads the hooks of a Claude Code layout. */
export async function loadHookSources(sources: readonly NativeSource[], fs: TrackedFs): Promise<Loaded<HookGroup>> {
  const loaded = withoutTwins(sources).map(async ({ file, inline }) => {
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
export async function loadServerSources(sources: readonly NativeSource[], fs: TrackedFs): Promise<Loaded<McpServer>> {
  const loaded = withoutTwins(sources).map(async ({ file, inline }): Promise<Loaded<McpServer>> => {
    if (inline !== undefined) return loadNativeServers(inline)
    if (fs.look(file) === null) return { parts: [], findings: [] }
    const { text, issue } = await fs.readText(file)
    if (issue !== null) return { parts: [], findings: findingsOf(null, [issue]) }
    return loadNativeServers(readDocument(text, { kind: 'json', file, what: 'servers' }))
  })
  return joinLoaded(await Promise.all(loaded))
}

// A manifest may name the file that is read anyway.
function withoutTwins(sources: readonly NativeSource[]): readonly NativeSource[] {
  return [...new Map(sources.map((source) => [source.inline ?? source.file, source])).values()]
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
