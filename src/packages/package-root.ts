import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { valueAt } from '../lib/documents/document.ts'
import { foldersUpTo, isFolder, tryReadJson, tryStat, readTextFile } from '../lib/files.ts'
import { isJsonObject, stringOrNull } from '../lib/json.ts'
import { checkRelativePath } from '../lib/documents/relative-path.ts'
import type { Skill } from './package.ts'

/** The package that owns a file: the nearest folder upwards that is one, else the Vitest root. */
export function packageRootOf(file: string, vitestRoot: string): string {
  for (const folder of foldersUpTo(vitestRoot, dirname(file))) {
    const listed = listedPlugins(folder).filter((plugin) => pathBelow(plugin, file) !== null)
    const [deepest] = listed.toSorted((a, b) => b.length - a.length)
    if (deepest !== undefined) return deepest
    if (isPackage(folder)) return folder
  }
  return vitestRoot
}

/** Whether a folder is a package: by a manifest, or by skills or a `.claude` folder in it. */
export function isPackage(folder: string): boolean {
  if ([...MANIFEST_NAMES, PLUGIN_FILE].some((name) => existsSync(join(folder, name)))) return true
  // What is below `.claude` is part of the project around it.
  if (basename(folder) === PROJECT_FOLDER) return false
  return isFolder(join(folder, 'skills')) || isFolder(join(folder, PROJECT_FOLDER))
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
    return dir === folder || dir.startsWith(`${folder}/`) ? [{ dir, index }] : []
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

/** Folders of manifests of plugins, for Claude Code and Codex. */
export const PLUGIN_FOLDERS: readonly string[] = ['.claude-plugin', '.codex-plugin']

/** The folder of Claude Code's that makes a project a package. */
export const PROJECT_FOLDER = '.claude'

/** Instructions of a project for Claude Code alone. */
export const PROJECT_INSTRUCTIONS = 'CLAUDE.md'

/** What of a project's folder is one person's: settings, and checkouts of other branches. */
export const PERSONAL_PATHS: ReadonlySet<string> = new Set(['.claude/settings.local.json', '.claude/worktrees'])

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

/** What a SKILL.md calls itself; `null` when it does not say. */
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
