import { join } from 'node:path'
import { openTrackedFs, type TrackedFs } from '../documents/tracked-fs.ts'
import { barePackage, type AgentPackage } from './package.ts'
import { loadAgents } from './agents.ts'
import { loadCommands } from './commands.ts'
import { findMissingDependencies } from './dependencies.ts'
import { loadHooks } from './hooks.ts'
import { loadManifest } from './manifest.ts'
import { INSTRUCTIONS_FILE, MANIFEST_NAMES } from './manifest-names.ts'
import { loadMcpServers } from './mcp.ts'
import {
  loadHookSources,
  loadNativeAgents,
  loadNativeCommands,
  loadNativeSkills,
  loadServerSources,
} from './native-parts.ts'
import { loadPluginManifest, unnamedPlugin, type LoadedPlugin } from './plugin-manifest.ts'
import { addProject } from './project.ts'
import { loadRules } from './rules.ts'
import { loadSkills } from './skills.ts'

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
    loadHookSources(sources.hooks, fs),
    loadServerSources(sources.mcp, fs),
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
