import { dirname, join, relative } from 'node:path'
import { pathFrom } from './package-root.ts'
import { namedFiles } from './named-files.ts'
import { INSTRUCTIONS_FILE, PROJECT_FOLDER, PROJECT_INSTRUCTIONS, SERVERS_FILE } from './manifest-names.ts'
import { joinHooks } from './native-hooks.ts'
import {
  loadNativeAgents,
  loadNativeCommands,
  loadNativeSkills,
  loadServerSources,
  loadSettingsHooks,
} from './native-parts.ts'
import { joinSkills } from './skills.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { AgentPackage } from './package.ts'

/** Adds what a project's own `.claude` folder and `.mcp.json` hold to a package without a manifest. */
export async function addProject(pkg: AgentPackage, fs: TrackedFs): Promise<AgentPackage> {
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
    loadServerSources([{ file: mcpFile }], fs),
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
