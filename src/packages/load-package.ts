import { join } from 'node:path'
import { valueAt } from '../lib/documents/document.ts'
import { openTrackedFs, type TrackedFs } from '../lib/documents/read-text.ts'
import { isJsonObject } from '../lib/json.ts'
import { loadAgents } from './agents.ts'
import { loadCommands } from './commands.ts'
import { findLayout } from './find-layout.ts'
import { followLinks } from './follow-links.ts'
import { joinHooks, loadHooks, loadNativeHooks } from './hooks.ts'
import { findImports } from './imports.ts'
import type { Source } from './layouts.ts'
import { INSTRUCTIONS_FILE } from './package-root.ts'
import { joinLoaded, type AgentPackage } from './package.ts'
import { listProjectParts } from './project-parts.ts'
import { loadRules } from './rules.ts'
import { loadServers } from './servers.ts'
import { loadSettings, type LoadedSettings } from './settings.ts'
import { joinSkills, loadSkillsAt } from './skills.ts'

/** Reads a package of any layout. Never throws: whatever is wrong with it is among its findings. */
export function loadPackage(root: string, fs: TrackedFs = openTrackedFs()): Promise<AgentPackage> {
  return load(root, false, fs)
}

/** Reads the plugin of a case of `claude plugin eval`: a folder without a manifest has the layout of a plugin too. */
export function loadCasePlugin(root: string, fs: TrackedFs = openTrackedFs()): Promise<AgentPackage> {
  return load(root, true, fs)
}

async function load(root: string, isPlugin: boolean, disk: TrackedFs): Promise<AgentPackage> {
  const fs = followLinks(disk, root)
  const { layout, manifest, sources, findings } = await findLayout(root, isPlugin, fs)
  const plugin = layout === 'plugin' ? (manifest?.name ?? null) : null
  const each = <T>(kind: Source['kind'], read: (source: Source) => Promise<T>): Promise<readonly T[]> =>
    Promise.all(sources.filter((source) => source.kind === kind).map(read))
  const firstFile = (kind: Source['kind']): string | null =>
    sources.find((source) => source.kind === kind && fs.look(source.path)?.isFile() === true)?.path ?? null
  const instructions = join(root, INSTRUCTIONS_FILE)
  const [imports, skills, commands, agents, rules, hookFiles, mcp] = await Promise.all([
    layout === 'plugin' ? [] : findImports(root, fs),
    each('skills', (source) => loadSkillsAt(source, fs)).then(joinSkills),
    each('commands', (source) => loadCommands(source, plugin, fs)).then(joinLoaded),
    each('agents', (source) => loadAgents(source, plugin ?? '', fs)).then(joinLoaded),
    each('rules', (source) => loadRules(source, fs)).then(joinLoaded),
    each('hooks', (source) => loadHooksAt(source, fs)),
    each('mcp', (source) => loadServers(source, fs)).then(joinLoaded),
  ])
  const hooks = joinHooks(hookFiles)
  const settings = hookFiles.find((one) => one.settings !== undefined)?.settings
  const found = [...findings, ...[skills, commands, agents, rules, hooks, mcp].flatMap((loaded) => loaded.findings)]
  // A link that a part was found at is an error of that part already.
  const said = new Set(found.map(({ file }) => file))
  const pkg: AgentPackage = {
    root,
    ...(layout === 'package' ? {} : { layout }),
    manifest,
    skills: skills.parts,
    commands: commands.parts,
    agents: agents.parts,
    rules: rules.parts,
    hookGroups: settings?.disablesHooks === true ? [] : hooks.parts,
    hooksFile: firstFile('hooks'),
    ...(settings === undefined ? {} : { settings }),
    mcpServers: mcp.parts,
    mcpFile: firstFile('mcp'),
    instructionsFile: layout !== 'plugin' && fs.look(instructions)?.isFile() === true ? instructions : null,
    ...(imports.length === 0 ? {} : { imports }),
    findings: [...found, ...fs.lost().filter(({ file }) => !said.has(file))],
  }
  return layout === 'project' ? { ...pkg, only: listProjectParts(pkg, fs) } : pkg
}

async function loadHooksAt({ path, inline, layout }: Source, fs: TrackedFs): Promise<LoadedSettings> {
  if (layout === 'project') return loadSettings(path, fs)
  if (inline === undefined) return loadHooks(path, fs)
  return loadNativeHooks(inline, isJsonObject(valueAt(inline.value, 'hooks')) ? ['hooks'] : [])
}
