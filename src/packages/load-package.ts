import { join } from 'node:path'
import { openDisk, type Disk } from '../documents/tracked-fs.ts'
import { barePackage, type AgentPackage } from './package.ts'
import { loadAgents } from './agents.ts'
import { loadCommands } from './commands.ts'
import { findMissingDependencies } from './dependencies.ts'
import { loadHooks } from './hooks.ts'
import { loadManifest } from './manifest.ts'
import { MANIFEST_NAMES } from './manifest-names.ts'
import { loadMcpServers } from './mcp.ts'
import {
  loadHookSources,
  loadNativeAgents,
  loadNativeCommands,
  loadNativeSkills,
  loadServerSources,
} from './native-parts.ts'
import { loadPluginManifest, type LoadedPlugin } from './plugin-manifest.ts'
import { addProject } from './project.ts'
import { loadRules } from './rules.ts'
import { loadSkills } from './skills.ts'

/** Reads a package of any layout. Never throws: whatever is wrong with it is among its findings. */
export async function loadPackage(root: string, disk: Disk = openDisk()): Promise<AgentPackage> {
  if (MANIFEST_NAMES.some((name) => disk.look(join(root, name)) !== null)) return loadOwnLayout(root, disk)
  const plugin = await loadPluginManifest(root, disk)
  if (plugin !== null) return loadPlugin(root, plugin, disk)
  return addProject(await loadOwnLayout(root, disk), disk)
}

async function loadOwnLayout(root: string, disk: Disk): Promise<AgentPackage> {
  const { manifest, paths, dependencies, findings } = await loadManifest(root, disk)
  const [skills, commands, agents, rules, hooks, mcp, installed] = await Promise.all([
    loadSkills(paths.skills, disk),
    loadCommands(paths.commands, disk),
    loadAgents(paths.agents, disk),
    loadRules(paths.rules, disk),
    loadHooks(paths.hooks, disk),
    loadMcpServers(paths.mcp, disk),
    findMissingDependencies(root, dependencies, disk),
  ])

  return {
    root,
    manifest,
    skills: skills.parts,
    commands: commands.parts,
    agents: agents.parts,
    rules: rules.parts,
    hookGroups: hooks.parts,
    hooksFile: existing(paths.hooks, disk),
    mcpServers: mcp.parts,
    mcpFile: existing(paths.mcp, disk),
    instructionsFile: existing(join(root, 'AGENTS.md'), disk),
    missingDependencies: installed.missing,
    findings: [
      ...findings,
      ...installed.findings,
      ...[skills, commands, agents, rules, hooks, mcp].flatMap((loaded) => loaded.findings),
    ],
  }
}

async function loadPlugin(root: string, plugin: LoadedPlugin, disk: Disk): Promise<AgentPackage> {
  const { manifest, sources, findings } = plugin
  const [skills, commands, agents, hooks, mcp] = await Promise.all([
    loadNativeSkills(sources.skills, disk),
    loadNativeCommands(sources.commands, manifest?.name ?? null, disk),
    loadNativeAgents(sources.agents, disk),
    loadHookSources(sources.hooks, disk),
    loadServerSources(sources.mcp, disk),
  ])
  const firstFile = (files: readonly { readonly file: string }[]): string | null =>
    files.map(({ file }) => existing(file, disk)).find((file) => file !== null) ?? null
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

function existing(file: string, disk: Disk): string | null {
  return disk.look(file)?.isFile() === true ? file : null
}
