import { join } from 'node:path'
import { z } from 'zod'
import { documentAt, errorAt, type ReadDocument } from '../documents/document.ts'
import { readDocument } from '../documents/read-document.ts'
import { checkRelativePath, normalizeRelativePath } from '../documents/relative-path.ts'
import { validate } from '../documents/validate.ts'
import { isJsonObject } from '../json.ts'
import { findingsOf } from './finding.ts'
import { PLUGIN_FILE, SERVERS_FILE } from './manifest-names.ts'
import { findMarketplaceEntries } from './marketplace.ts'
import { stringOrNull } from '../json-fields.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { NativeSources } from './native-parts.ts'
import type { PackageFinding, PackageManifest } from './package.ts'

/** A plugin as its manifest and its marketplace describe it. */
export interface LoadedPlugin {
  readonly manifest: PackageManifest | null
  readonly sources: NativeSources
  readonly findings: readonly PackageFinding[]
}

/** Reads the manifest of a Claude Code plugin, or what a marketplace says instead of one; `null` where no plugin is. */
export async function loadPluginManifest(root: string, fs: TrackedFs): Promise<LoadedPlugin | null> {
  const file = join(root, PLUGIN_FILE)
  const own = fs.look(file) === null ? null : await readManifest(file, fs)
  const listed = await findMarketplaceEntries(root, fs)
  if (own === null && listed === null) return null

  const document = own?.document ?? null
  const documents = [...(document === null ? [] : [document]), ...(listed?.entries ?? [])]
  const [first] = documents
  const located = documents.map((one) => locate(root, one, fs))
  const from = (key: 'agents' | 'commands' | 'skills'): readonly string[] => located.flatMap((one) => one[key])
  const usual = usualSources(root, fs)
  return {
    manifest: first === undefined ? null : manifestOf(first, documents.length > 1 && own === null ? listed : null),
    sources: {
      // Paths of a manifest replace the usual folder of commands and agents, and add to that of skills.
      skills: [...new Set([...usual.skills, ...from('skills')])],
      commands: orUsual(from('commands'), usual.commands),
      agents: orUsual(from('agents'), usual.agents),
      hooks: [...usual.hooks, ...located.flatMap(({ hooks }) => hooks)],
      mcp: [...usual.mcp, ...located.flatMap(({ mcp }) => mcp)],
    },
    findings: [...(own?.findings ?? []), ...located.flatMap(({ findings }) => findings)],
  }
}

function orUsual(paths: readonly string[], usual: readonly string[]): readonly string[] {
  return paths.length === 0 ? usual : paths
}

/** A folder that Claude Code takes for a plugin although it has no manifest. */
export function unnamedPlugin(root: string, fs: TrackedFs): LoadedPlugin {
  return { manifest: null, sources: usualSources(root, fs), findings: [] }
}

function usualSources(root: string, fs: TrackedFs): NativeSources {
  return {
    skills: skillFolders(root, fs),
    commands: [join(root, 'commands')],
    agents: [join(root, 'agents')],
    hooks: [{ file: join(root, 'hooks', 'hooks.json') }],
    mcp: [{ file: join(root, SERVERS_FILE) }],
  }
}

interface Located extends NativeSources {
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
  const declared = (key: string): NativeSources['hooks'] => {
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
