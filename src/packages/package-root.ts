import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { valueAt } from '../lib/documents/document.ts'
import { foldersUpTo, isFolder, listNames, readTextFile, tryReadJson, tryStat } from '../lib/files.ts'
import { isJsonObject, stringOrNull } from '../lib/json.ts'
import { isBelow } from '../lib/links.ts'
import { checkRelativePath, normalizeRelativePath } from '../lib/documents/relative-path.ts'
import type { Skill } from './package.ts'

/** The package that owns a file: the nearest folder upwards that is one, else the Vitest root. */
export function packageRootOf(file: string, vitestRoot: string): string {
  for (const folder of foldersUpTo(vitestRoot, dirname(file))) {
    const listed = listedPlugins(folder).filter((plugin) => pathBelow(plugin, file) !== null)
    const [deepest] = listed.toSorted((a, b) => b.length - a.length)
    if (deepest !== undefined) return deepest
    if (isPackage(folder) && !isLinkedFrom(dirname(folder), file)) return folder
  }
  return vitestRoot
}

// What `.claude` links to in a folder beside it, such as `.agents/skills`, is part of the project around both.
function isLinkedFrom(project: string, file: string): boolean {
  const [beside = '', ...below] = pathBelow(project, dirname(file))?.split('/') ?? []
  if (!beside.startsWith('.') || beside === PROJECT_FOLDER) return false
  try {
    return realpathSync(join(project, PROJECT_FOLDER, ...below)) === realpathSync(join(project, beside, ...below))
  } catch {
    return false
  }
}

/** Whether a folder is a package: by a manifest, by a `.claude` folder, or by a skill below `skills/`. */
export function isPackage(folder: string): boolean {
  if ([...MANIFEST_NAMES, PLUGIN_FILE].some((name) => existsSync(join(folder, name)))) return true
  // What is below `.claude` is part of the project around it.
  if (basename(folder) === PROJECT_FOLDER) return false
  return isFolder(join(folder, PROJECT_FOLDER)) || holdsSkill(join(folder, 'skills'), 2)
}

// A category of skills is one folder more.
function holdsSkill(folder: string, levels: number): boolean {
  return listNames(folder).some((name) => {
    const dir = join(folder, name)
    return existsSync(join(dir, 'SKILL.md')) || (levels > 1 && !name.startsWith('.') && holdsSkill(dir, levels - 1))
  })
}

/** Whether a folder is the one in which Anthropic's skill-creator keeps its runs of the skill beside it. */
export function isCreatorWorkspace(folder: string): boolean {
  const skill = folder.replace(/-workspace$/, '')
  return skill !== folder && existsSync(join(skill, 'SKILL.md')) && !existsSync(join(folder, 'SKILL.md'))
}

/** Path of `file` below `folder` with `/` between its parts, or `null` when it is elsewhere. */
export function pathBelow(folder: string, file: string): string | null {
  const start = `${folder}/`
  // Most paths are written the same way, and thousands of them are asked for.
  if (sep === '/' && file.startsWith(start) && !UNTIDY.test(file)) return file.slice(start.length)
  const path = relative(folder, file)
  if (path === '' || isAbsolute(path) || path === '..' || path.startsWith(`..${sep}`)) return null
  return path.split(sep).join('/')
}

/** Path of `file` from `folder` with `/` between its parts, wherever it is. */
export function pathFrom(folder: string, file: string): string {
  return pathBelow(folder, file) ?? relative(folder, file).split(sep).join('/')
}

// What `relative` would still have to resolve.
const UNTIDY = /\/(?:\.{0,2}(?:\/|$))/

/** Absolute paths of the plugins that the marketplace in a folder lists and that are folders of the same repository. */
export function listedPlugins(folder: string): readonly string[] {
  const file = join(folder, MARKETPLACE_FILE)
  const stats = tryStat(file)
  if (stats?.isFile() !== true) return []
  const stamp = `${stats.mtimeMs} ${stats.size}`
  const kept = listings.get(file)
  if (kept?.stamp === stamp) return kept.plugins
  const plugins = pluginsOf(tryReadJson(file), folder).map(({ dir }) => dir)
  listings.set(file, { stamp, plugins })
  return plugins
}

// Every suite file asks for its package.
const listings = new Map<string, { readonly stamp: string; readonly plugins: readonly string[] }>()

/** The plugins that a marketplace in a folder lists below it, by their place in the list. */
export function pluginsOf(value: unknown, folder: string): readonly { readonly dir: string; readonly index: number }[] {
  const plugins = valueAt(value, 'plugins')
  if (!Array.isArray(plugins)) return []
  const base = stringOrNull(valueAt(valueAt(value, 'metadata'), 'pluginRoot')) ?? '.'
  return plugins.flatMap((plugin: unknown, index) => {
    const source = isJsonObject(plugin) ? plugin['source'] : undefined
    if (typeof source !== 'string') return []
    // A source that starts with `./` is relative to the marketplace, a bare name to its folder of plugins.
    const dir = source.startsWith('.') ? resolve(folder, source) : resolve(folder, base, source)
    return isBelow(dir, folder) ? [{ dir, index }] : []
  })
}

/** Names of the manifest; the first one that exists counts. */
export const MANIFEST_NAMES: readonly string[] = ['package.agent.json', 'package.agent.yaml']

/** The manifest of a Claude Code plugin, relative to its folder. */
export const PLUGIN_FILE: string = join('.claude-plugin', 'plugin.json')

/** The file in which a repository lists its plugins. */
export const MARKETPLACE_FILE: string = join('.claude-plugin', 'marketplace.json')

/** The files of which a folder with one is a plugin or several, whatever it is called. */
export const PLUGIN_SIGNS: readonly string[] = [PLUGIN_FILE, MARKETPLACE_FILE]

/**
 * The folder of evals that the manifest of a plugin names as `experimental.evals`, relative to the plugin; of a list the
 * first entry. `null` where it names none, or one that Claude Code ignores too.
 */
export function namedEvals(manifest: unknown): string | null {
  const written = valueAt(valueAt(manifest, 'experimental'), 'evals')
  const path: unknown = Array.isArray(written) ? written[0] : written
  if (typeof path !== 'string' || checkRelativePath(path.trim()) !== null) return null
  const normal = normalizeRelativePath(path.trim())
  return normal.split('/').every((name) => /^[A-Za-z0-9][\w.@+-]*$/.test(name)) ? normal : null
}

/** Folders of manifests of plugins, for Claude Code and Codex. */
export const PLUGIN_FOLDERS: readonly string[] = ['.claude-plugin', '.codex-plugin']

/** The folder of Claude Code's that makes a project a package. */
export const PROJECT_FOLDER = '.claude'

/** Instructions of a project for Claude Code alone. */
export const PROJECT_INSTRUCTIONS = 'CLAUDE.md'

/** Settings of one person. */
export const PERSONAL_SETTINGS = '.claude/settings.local.json'

/** Parts of a project's folder that are one person's: settings, and checkouts of other branches. */
export const PERSONAL_PATHS: ReadonlySet<string> = new Set([PERSONAL_SETTINGS, '.claude/worktrees'])

/** How variables begin that configure Claude Code or its API. */
export const CLAUDE_VARIABLES: readonly string[] = ['ANTHROPIC_', 'CLAUDE_', 'CLAUDECODE']

/** Servers of a plugin or project. */
export const SERVERS_FILE = '.mcp.json'

/** Instructions that every engine reads. */
export const INSTRUCTIONS_FILE = 'AGENTS.md'

/** Folders that files of a package name by variables; one that is not known yet is absent. */
interface NamedFolders {
  readonly packageRoot: string
  readonly workspace: string
  readonly home?: string
}

/** The variables of hooks and servers that were written for Claude Code. */
export function nativeVariables({ packageRoot, workspace, home }: NamedFolders): Readonly<Record<string, string>> {
  const variables = { CLAUDE_PLUGIN_ROOT: packageRoot, CLAUDE_PROJECT_DIR: workspace }
  return home === undefined ? variables : { ...variables, CLAUDE_PLUGIN_DATA: home }
}

/** All variables that name a folder: that of the package format, and native ones. */
export function folderVariables(folders: NamedFolders): Readonly<Record<string, string>> {
  return { PACKAGE_ROOT: folders.packageRoot, ...nativeVariables(folders) }
}

/** The variables by which a command names the folder of its package or project, as part of a pattern. */
export const ROOT_NAMES: string = Object.keys(folderVariables({ packageRoot: '', workspace: '' })).join('|')

/** One of them at the start of a path. */
export const ROOT_VARIABLE: RegExp = new RegExp(String.raw`^\$\{?(?:${ROOT_NAMES})\}?\/`)

/** Reads the name that a SKILL.md gives itself; `null` when it does not say. Workers ask it, and load no YAML. */
export function declaredName(file: string): string | null {
  const [, front = ''] = /^---\r?\n([\S\s]*?)\r?\n---/.exec(readTextFile(file)) ?? []
  const written = /^name:\s*(\S.*)$/m.exec(front)?.[1]?.trimEnd()
  return written === undefined ? null : (/^(['"])(.+)\1$/.exec(written)?.[2] ?? written)
}

/**
 * The names of a skill: that of its folder first, and for a folder that may be called anything, such as that of a plugin
 * which is one skill, that of its front matter.
 */
export function nameSkill(
  folder: string,
  declared: string | null,
  isCalledAnything: boolean,
): Pick<Skill, 'alias' | 'name'> {
  const isFolderName = declared !== null && !declared.includes('/') && checkRelativePath(declared) === null
  const name = isCalledAnything && isFolderName ? declared : folder
  const alias = name === folder ? declared : folder
  return alias === null || alias === name ? { name } : { name, alias }
}

/** All names of a skill, the one that it is installed under first. */
export function namesOf({ name, alias }: Pick<Skill, 'alias' | 'name'>): readonly string[] {
  return alias === undefined ? [name] : [name, alias]
}
