import { dirname, join } from 'node:path'
import { z } from 'zod'
import { documentAt, errorAt, valueAt, type Issue, type ReadDocument } from '../lib/documents/document.ts'
import { nearestName } from '../lib/documents/nearest-name.ts'
import { readDocument } from '../lib/documents/read-document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { checkRelativePath, normalizeRelativePath } from '../lib/documents/relative-path.ts'
import { validate } from '../lib/documents/validate.ts'
import { isJsonObject, stringOrNull } from '../lib/json.ts'
import { findingsOf, type PackageFinding, type PackageManifest } from './package.ts'
import type { NativeFiles } from './native-parts.ts'
import { MANIFEST_NAMES, MARKETPLACE_FILE, PLUGIN_FILE, SERVERS_FILE, pluginsOf } from './package-root.ts'

/** A plugin as its manifest and its marketplace describe it. */
export interface LoadedPlugin {
  readonly manifest: PackageManifest | null
  readonly sources: NativeFiles
  readonly findings: readonly PackageFinding[]
}

/** Reads the manifest of a Claude Code plugin, or what a marketplace says instead of one; `null` where no plugin is. */
export async function loadPluginManifest(root: string, fs: TrackedFs): Promise<LoadedPlugin | null> {
  const file = join(root, PLUGIN_FILE)
  const ownManifest = fs.look(file) === null ? null : await readManifest(file, fs)
  const listed = await findMarketplaceEntries(root, fs)
  if (ownManifest === null && listed === null) return null

  const document = ownManifest?.document ?? null
  const documents = [...(document === null ? [] : [document]), ...(listed?.entries ?? [])]
  const [first] = documents
  const located = documents.map((one) => locate(root, one, fs))
  const from = (key: 'agents' | 'commands' | 'skills'): readonly string[] => located.flatMap((one) => one[key])
  const usual = usualFiles(root, fs)
  return {
    manifest:
      first === undefined ? null : manifestOf(first, documents.length > 1 && ownManifest === null ? listed : null),
    sources: {
      // Paths of a manifest replace the usual folder of commands and agents, and add to that of skills.
      skills: [...new Set([...usual.skills, ...from('skills')])],
      commands: orUsual(from('commands'), usual.commands),
      agents: orUsual(from('agents'), usual.agents),
      hooks: [...usual.hooks, ...located.flatMap(({ hooks }) => hooks)],
      mcp: [...usual.mcp, ...located.flatMap(({ mcp }) => mcp)],
    },
    findings: [...(ownManifest?.findings ?? []), ...located.flatMap(({ findings }) => findings)],
  }
}

function orUsual(paths: readonly string[], usual: readonly string[]): readonly string[] {
  return paths.length === 0 ? usual : paths
}

/** A folder that Claude Code takes for a plugin although it has no manifest. */
export function unnamedPlugin(root: string, fs: TrackedFs): LoadedPlugin {
  return { manifest: null, sources: usualFiles(root, fs), findings: [] }
}

function usualFiles(root: string, fs: TrackedFs): NativeFiles {
  return {
    skills: skillFolders(root, fs),
    commands: [join(root, 'commands')],
    agents: [join(root, 'agents')],
    hooks: [{ file: join(root, 'hooks', 'hooks.json') }],
    mcp: [{ file: join(root, SERVERS_FILE) }],
  }
}

interface Located extends NativeFiles {
  readonly findings: readonly PackageFinding[]
}

// A manifest has many more fields; they are Claude Code's to check.
const manifestSchema: z.ZodType<{ readonly name: string }> = z.looseObject({ name: z.string().min(1) })

async function readManifest(
  file: string,
  fs: TrackedFs,
): Promise<{ readonly document: ReadDocument | null; readonly findings: readonly PackageFinding[] }> {
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return { document: null, findings: findingsOf(null, [issue]) }
  const document = readDocument(text, { kind: 'json', file, what: 'manifest' })
  const { issues } = validate(document, manifestSchema)
  return { document: isJsonObject(document.value) ? document : null, findings: findingsOf(null, issues) }
}

function manifestOf(document: ReadDocument, marketplace: { readonly name: string | null } | null): PackageManifest {
  const raw = isJsonObject(document.value) ? document.value : {}
  const name = marketplace === null ? stringOrNull(raw['name']) : marketplace.name
  return { file: document.file, name, version: stringOrNull(raw['version']), raw }
}

// A plugin may be one skill.
function skillFolders(root: string, fs: TrackedFs): readonly string[] {
  const folder = join(root, 'skills')
  return fs.look(folder) === null && fs.look(join(root, 'SKILL.md')) !== null ? [root] : [folder]
}

function locate(root: string, document: ReadDocument, fs: TrackedFs): Located {
  const findings: PackageFinding[] = []
  const paths = (key: string): readonly string[] =>
    itemsOf(document, key).flatMap((item) => {
      const path = pathOf(root, item, fs)
      if (path.issue !== null) findings.push({ ...path.issue, part: null })
      return path.path === null ? [] : [path.path]
    })
  const declared = (key: string): NativeFiles['hooks'] => {
    const inline = itemsOf(document, key).filter(({ value }) => isJsonObject(value))
    return [...paths(key).map((file) => ({ file })), ...inline.map((item) => ({ file: item.file, inline: item }))]
  }
  const skills = paths('skills')
  const commands = paths('commands')
  const agents = paths('agents')
  return { skills, commands, agents, hooks: declared('hooks'), mcp: declared('mcpServers'), findings }
}

function itemsOf(document: ReadDocument, key: string): readonly ReadDocument[] {
  const written = documentAt(document, [key])
  if (!Array.isArray(written.value)) return written.value === undefined ? [] : [written]
  return written.value.map((_, index) => documentAt(written, [index]))
}

function pathOf(
  root: string,
  item: ReadDocument,
  fs: TrackedFs,
): { readonly path: string | null; readonly issue: ReturnType<typeof errorAt> | null } {
  const { value } = item
  if (typeof value !== 'string') return { path: null, issue: null }
  const trimmed = value.replace(/(?<!\/)\/+$/, '')
  if (trimmed === '.' || trimmed === '') return { path: root, issue: null }
  const problem = checkRelativePath(trimmed)
  if (problem !== null) return { path: null, issue: errorAt(item, [], 'unsafe-path', `the path ${problem}`) }
  const path = join(root, normalizeRelativePath(trimmed))
  if (fs.look(path) !== null) return { path, issue: null }
  return { path: null, issue: errorAt(item, [], 'file-missing', `${value} does not exist`) }
}

/** Where the parts of a package lie, absolute. */
interface ComponentPaths {
  readonly skills: string
  readonly commands: string
  readonly agents: string
  readonly rules: string
  readonly hooks: string
  readonly mcp: string
}

/** The manifest with what follows from it. */
interface LoadedManifest {
  readonly manifest: PackageManifest | null
  readonly paths: ComponentPaths
  /** Names that the manifest requires. */
  readonly dependencies: readonly string[]
  readonly findings: readonly PackageFinding[]
}

const DEFAULT_PATHS: ComponentPaths = {
  skills: 'skills',
  commands: 'commands',
  agents: 'agents',
  rules: 'rules',
  hooks: 'hooks/hooks.json',
  mcp: 'mcp/servers.json',
}

// The manifest has many more fields; they are the package manager's to check.
const agentManifestSchema = z.looseObject({
  name: z.string().min(1),
  version: z.string().min(1),
  dependencies: z.record(z.string(), z.string()).optional(),
  skills: z.string().optional(),
  commands: z.string().optional(),
  agents: z.string().optional(),
  rules: z.string().optional(),
  hooks: z.string().optional(),
  mcp: z.string().optional(),
})

/** Reads `package.agent.json`, else `package.agent.yaml`. Without one the usual folders are looked at. */
export async function loadManifest(root: string, fs: TrackedFs): Promise<LoadedManifest> {
  const file = MANIFEST_NAMES.map((name) => join(root, name)).find((path) => fs.look(path) !== null)
  if (file === undefined) return without(root, [])

  const { text, issue } = await fs.readText(file)
  if (issue !== null) return without(root, [{ ...issue, part: null }])

  const document = readDocument(text, { kind: file.endsWith('.json') ? 'json' : 'yaml', file, what: 'manifest' })
  const { value, issues } = validate(document, agentManifestSchema)
  const raw = isJsonObject(document.value) ? document.value : null
  const located = locateComponents(root, document, fs)
  return {
    manifest:
      raw === null ? null : { file, name: stringOrNull(raw['name']), version: stringOrNull(raw['version']), raw },
    paths: located.paths,
    dependencies: Object.keys(value?.dependencies ?? {}),
    findings: [...findingsOf(null, [...issues, ...misspelt(document)]), ...located.findings],
  }
}

// Other fields are the package manager's, but one that is nearly the place of a part would leave that part out.
function misspelt(document: ReadDocument): readonly Issue[] {
  if (!isJsonObject(document.value)) return []
  const unknown = Object.keys(document.value).filter((key) => !OTHER_FIELDS.has(key) && !(key in DEFAULT_PATHS))
  return unknown.flatMap((key) => {
    const near = nearestName(key, Object.keys(DEFAULT_PATHS))
    if (near === null) return []
    const issue = errorAt(document, [key], 'unknown-field', `unknown field. Did you mean ${JSON.stringify(near)}?`)
    return [{ ...issue, ...document.keyPositionOf([key]) }]
  })
}

// Close to the name of a part by chance.
const OTHER_FIELDS: ReadonlySet<string> = new Set(['skill', 'agent', 'command', 'rule', 'roles', 'repo'])

function without(root: string, findings: readonly PackageFinding[]): LoadedManifest {
  return { manifest: null, paths: absolute(root, DEFAULT_PATHS), dependencies: [], findings }
}

function absolute(root: string, paths: ComponentPaths): ComponentPaths {
  const entries = Object.entries(paths).map(([key, path]: [string, string]) => [key, join(root, path)])
  return Object.fromEntries(entries) as ComponentPaths
}

function locateComponents(
  root: string,
  document: ReadDocument,
  fs: TrackedFs,
): { readonly paths: ComponentPaths; readonly findings: readonly PackageFinding[] } {
  const paths: Record<keyof ComponentPaths, string> = { ...absolute(root, DEFAULT_PATHS) }
  const findings: PackageFinding[] = []
  for (const key of Object.keys(DEFAULT_PATHS) as (keyof ComponentPaths)[]) {
    const written = isJsonObject(document.value) ? document.value[key] : undefined
    if (typeof written !== 'string') continue
    const problem = checkRelativePath(written)
    if (problem !== null) {
      findings.push({ ...errorAt(document, [key], 'unsafe-path', `the path ${problem}`), part: null })
      continue
    }

    paths[key] = join(root, normalizeRelativePath(written))
    if (fs.look(paths[key]) !== null) continue
    findings.push({ ...errorAt(document, [key], 'file-missing', `${written} does not exist`), part: null })
  }

  return { paths, findings }
}

/** A marketplace's word on the plugin in one folder: each entry is a manifest, or adds to one. */
interface MarketplaceEntries {
  readonly name: string | null
  readonly entries: readonly ReadDocument[]
}

/** What the nearest marketplace upwards says about the plugin in a folder; `null` when none lists it. */
async function findMarketplaceEntries(root: string, fs: TrackedFs): Promise<MarketplaceEntries | null> {
  for (let folder = root; ; folder = dirname(folder)) {
    const file = join(folder, MARKETPLACE_FILE)
    if (fs.look(file)?.isFile() === true) {
      const { text } = await fs.readText(file)
      const document = readDocument(text ?? '', { kind: 'json', file, what: 'marketplace' })
      const entries = pluginsOf(document.value, folder).filter(({ dir }) => dir === root)
      if (entries.length > 0)
        return {
          name: stringOrNull(valueAt(document.value, 'name')),
          entries: entries.map(({ index }) => documentAt(document, ['plugins', index])),
        }
    }
    if (fs.look(join(folder, '.git')) !== null || folder === dirname(folder)) return null
  }
}
