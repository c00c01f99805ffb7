import { join } from 'node:path'
import { openDisk, type Disk } from '../documents/disk.ts'
import type { AgentPackage } from './package.ts'
import { loadAgents } from './agents.ts'
import { loadCommands } from './commands.ts'
import { findMissingDependencies } from './dependencies.ts'
import { loadHooks } from './hooks.ts'
import { loadManifest } from './manifest.ts'
import { loadMcpServers } from './mcp.ts'
import { loadRules } from './rules.ts'
import { loadSkills } from './skills.ts'

/** Reads a package. Never throws: whatever is wrong with it is among its findings. */
export async function loadPackage(root: string, disk: Disk = openDisk()): Promise<AgentPackage> {
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

function existing(file: string, disk: Disk): string | null {
  return disk.look(file)?.isFile() === true ? file : null
}
