import { dirname, join, relative, resolve } from 'node:path'
import { valueAt } from '../lib/documents/document.ts'
import { readDocument } from '../lib/documents/read-document.ts'
import { openTrackedFs, type TrackedFs } from '../lib/documents/read-text.ts'
import { checkRelativePath, normalizeRelativePath } from '../lib/documents/relative-path.ts'
import { isJsonObject, stringsIn } from '../lib/json.ts'
import { fileFinding, barePackage, type AgentPackage, type PackageFinding } from './package.ts'
import { joinHooks, loadHooks } from './hooks.ts'
import { loadAgents, loadCommands, loadRules } from './markdown-parts.ts'
import {
  loadHookFiles,
  loadMcpServers,
  loadNativeAgents,
  loadNativeCommands,
  loadNativeSkills,
  loadServerFiles,
  loadSettingsHooks,
} from './native-parts.ts'
import {
  INSTRUCTIONS_FILE,
  MANIFEST_NAMES,
  PROJECT_FOLDER,
  PROJECT_INSTRUCTIONS,
  ROOT_VARIABLE,
  SERVERS_FILE,
  pathFrom,
} from './package-root.ts'
import { loadManifest, loadPluginManifest, unnamedPlugin, type LoadedPlugin } from './plugin-manifest.ts'
import { joinSkills, loadSkills } from './skills.ts'

/** Reads a package of any layout. Never throws: whatever is wrong with it is among its findings. */
export async function loadPackage(root: string, fs: TrackedFs = openTrackedFs()): Promise<AgentPackage> {
  if (MANIFEST_NAMES.some((name) => fs.look(join(root, name)) !== null)) return loadOwnLayout(root, fs)
  const plugin = await loadPluginManifest(root, fs)
  if (plugin !== null) return loadPlugin(root, plugin, fs)
  return addProject(await loadOwnLayout(root, fs), fs)
}

/** Reads the plugin of a case of `claude plugin eval`: a folder without a manifest has the layout of a plugin too. */
export async function loadCasePlugin(root: string, fs: TrackedFs = openTrackedFs()): Promise<AgentPackage> {
  if (MANIFEST_NAMES.some((name) => fs.look(join(root, name)) !== null)) return loadOwnLayout(root, fs)
  return loadPlugin(root, (await loadPluginManifest(root, fs)) ?? unnamedPlugin(root, fs), fs)
}

async function loadOwnLayout(root: string, fs: TrackedFs): Promise<AgentPackage> {
  const { manifest, paths, dependencies, findings } = await loadManifest(root, fs)
  const [skills, commands, agents, rules, hooks, mcp, installed] = await Promise.all([
    loadSkills(paths.skills, fs),
    loadCommands(paths.commands, fs),
    loadAgents(paths.agents, fs),
    loadRules(paths.rules, fs),
    loadHooks(paths.hooks, fs),
    loadMcpServers(paths.mcp, fs),
    findMissingDependencies(root, dependencies, fs),
  ])

  return {
    root,
    manifest,
    skills: skills.parts,
    commands: commands.parts,
    agents: agents.parts,
    rules: rules.parts,
    hookGroups: hooks.parts,
    hooksFile: existing(paths.hooks, fs),
    mcpServers: mcp.parts,
    mcpFile: existing(paths.mcp, fs),
    instructionsFile: existing(join(root, INSTRUCTIONS_FILE), fs),
    missingDependencies: installed.missing,
    findings: [
      ...findings,
      ...installed.findings,
      ...[skills, commands, agents, rules, hooks, mcp].flatMap((loaded) => loaded.findings),
    ],
  }
}

async function loadPlugin(root: string, plugin: LoadedPlugin, fs: TrackedFs): Promise<AgentPackage> {
  const { manifest, sources, findings } = plugin
  const [skills, commands, agents, hooks, mcp] = await Promise.all([
    loadNativeSkills(sources.skills, fs),
    loadNativeCommands(sources.commands, manifest?.name ?? null, fs),
    loadNativeAgents(sources.agents, fs),
    loadHookFiles(sources.hooks, fs),
    loadServerFiles(sources.mcp, fs),
  ])
  const firstFile = (files: readonly { readonly file: string }[]): string | null =>
    files.map(({ file }) => existing(file, fs)).find((file) => file !== null) ?? null
  return barePackage({
    root,
    layout: 'plugin',
    manifest,
    skills: skills.parts,
    commands: commands.parts,
    agents: agents.parts,
    hookGroups: hooks.parts,
    hooksFile: firstFile(sources.hooks),
    mcpServers: mcp.parts,
    mcpFile: firstFile(sources.mcp),
    findings: [...findings, ...[skills, commands, agents, hooks, mcp].flatMap((loaded) => loaded.findings)],
  })
}

function existing(file: string, fs: TrackedFs): string | null {
  return fs.look(file)?.isFile() === true ? file : null
}

const LOCK_NAME = 'package.agent.lock'

/** Below a package or any folder above it, up to the repository's. */
const INSTALL_FOLDERS = ['.agent-packages', '.aam/packages', 'node_modules']

/**
 * Names of the lock file's packages, or of the manifest's when there is no lock, that are installed nowhere.
 * Dependencies are only looked for, never resolved or installed.
 */
async function findMissingDependencies(
  root: string,
  declared: readonly string[],
  fs: TrackedFs,
): Promise<{ readonly missing: readonly string[]; readonly findings: readonly PackageFinding[] }> {
  const file = join(root, LOCK_NAME)
  const hasLock = fs.look(file) !== null
  const { text, issue } = hasLock ? await fs.readText(file) : { text: null, issue: null }
  if (issue !== null) return { missing: [], findings: [{ ...issue, severity: 'warning', part: null }] }
  if (text === null) return { missing: declared.filter((name) => !isInstalled(root, name, null, fs)), findings: [] }

  const document = readDocument(text, { kind: 'json', file, what: 'lock' })
  const broken = document.issues.map((found): PackageFinding => ({ ...found, severity: 'warning', part: null }))
  if (broken.length > 0) return { missing: [], findings: broken }

  const resolved = valueAt(document.value, 'resolved')
  if (!isJsonObject(resolved)) {
    const message = 'the lock file has no `resolved` object; write it again with the package manager'
    return { missing: [], findings: [fileFinding(null, 'warning', file, 'lock', message)] }
  }

  const names = [...new Set([...Object.keys(resolved), ...declared])]
  const missing = names.filter((name) => !isInstalled(root, name, localPath(resolved[name]), fs))
  return { missing, findings: [] }
}

// A `file` or `bundle` source names a path instead of an install folder.
function localPath(entry: unknown): string | null {
  const path = valueAt(valueAt(entry, 'source'), 'path')
  return typeof path === 'string' ? path : null
}

function isInstalled(root: string, name: string, path: string | null, fs: TrackedFs): boolean {
  if (path !== null && fs.look(resolve(root, path)) !== null) return true
  if (checkRelativePath(name) !== null) return false

  // `@scope/name` is at `scope--name` where the package manager flattens scopes.
  const flattened = name.replace(/^@([^/]+)\//, '$1--')
  return foldersUpwards(root, fs).some((folder) =>
    INSTALL_FOLDERS.some(
      (install) => exists(join(folder, install, name), fs) || exists(join(folder, install, flattened), fs),
    ),
  )
}

function exists(path: string, fs: TrackedFs): boolean {
  return fs.look(path) !== null
}

function foldersUpwards(root: string, fs: TrackedFs): readonly string[] {
  const folders = [root]
  for (let folder = root; !exists(join(folder, '.git'), fs) && dirname(folder) !== folder;) {
    folder = dirname(folder)
    folders.push(folder)
  }

  return folders
}

/** Adds what a project's own `.claude` folder and `.mcp.json` hold to a package without a manifest. */
async function addProject(pkg: AgentPackage, fs: TrackedFs): Promise<AgentPackage> {
  const { root } = pkg
  const folder = join(root, PROJECT_FOLDER)
  if (fs.look(folder)?.isDirectory() !== true) return pkg

  const settings = join(folder, 'settings.json')
  const mcpFile = join(root, SERVERS_FILE)
  const [skills, commands, agents, hooks, mcp] = await Promise.all([
    loadNativeSkills([join(folder, 'skills')], fs),
    loadNativeCommands([join(folder, 'commands')], null, fs),
    loadNativeAgents([join(folder, 'agents')], fs),
    loadSettingsHooks(settings, fs),
    loadServerFiles([{ file: mcpFile }], fs),
  ])
  const allSkills = joinSkills([{ parts: pkg.skills, findings: [] }, skills])
  const allHooks = joinHooks([{ parts: pkg.hookGroups, findings: [] }, hooks])
  const whole: AgentPackage = {
    ...pkg,
    layout: 'project',
    skills: allSkills.parts,
    commands: [...pkg.commands, ...commands.parts],
    agents: [...pkg.agents, ...agents.parts],
    hookGroups: allHooks.parts,
    hooksFile: pkg.hooksFile ?? (fs.look(settings) === null ? null : settings),
    mcpServers: [...pkg.mcpServers, ...mcp.parts],
    mcpFile: pkg.mcpFile ?? (fs.look(mcpFile) === null ? null : mcpFile),
    findings: [...pkg.findings, ...[allSkills, commands, agents, allHooks, mcp].flatMap((loaded) => loaded.findings)],
  }
  return { ...whole, only: partsOf(whole, fs) }
}

// A project is more than its agent's configuration: what no hook and no server names stays out of the copy.
function partsOf({ root, ...pkg }: AgentPackage, fs: TrackedFs): readonly string[] {
  const scripts = namedFiles({ root, ...pkg }, fs).map((file) => {
    const folder = pathFrom(root, dirname(file))
    return folder === '' ? relative(root, file) : folder
  })
  return [...new Set([...PARTS, ...scripts])]
}

/** What of a project an agent is configured by, besides the scripts that are named there. */
const PARTS = [
  PROJECT_FOLDER,
  SERVERS_FILE,
  INSTRUCTIONS_FILE,
  PROJECT_INSTRUCTIONS,
  'agents',
  'commands',
  'hooks',
  'mcp',
  'rules',
  'skills',
]

/** Absolute paths of the package's files that its hooks and MCP servers name in their commands. */
function namedFiles({ root, hookGroups, mcpServers }: AgentPackage, fs: TrackedFs): readonly string[] {
  const hooks = hookGroups.flatMap((group) => group.hooks)
  const commands = hooks.flatMap((hook) => (hook.type === 'command' ? [hook.command] : []))
  const words = [...commands, ...mcpServers.flatMap(({ config }) => stringsIn(config))].flatMap(splitCommand)
  const files = words.flatMap((word) => {
    const path = word.replace(ROOT_VARIABLE, '')
    if (!path.includes('.') && !path.includes('/')) return []
    if (checkRelativePath(path) !== null) return []
    const file = join(root, normalizeRelativePath(path))
    return path.split('/').includes('node_modules') || fs.look(file)?.isFile() !== true ? [] : [file]
  })
  return [...new Set(files)]
}

function splitCommand(command: string): readonly string[] {
  // Quotes may end before the path does: "$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh
  return command.replaceAll(/["']/g, '').split(/[\s;&|()<>]+/)
}
