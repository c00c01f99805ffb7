import { agentFile } from './agent-file.ts'
import { commandFile } from './command-file.ts'
import { installHooks } from './install-hooks.ts'
import { installMcp } from './install-mcp.ts'
import { installRules } from './install-rules.ts'
import { MCP_FILE, SETTINGS_FILE, sessionSettings } from './settings.ts'
import type { InstallRequest, Installation } from '../engine.ts'

/** Lays a package out as Claude Code expects it below a project's `.claude` folder. */
export function install(request: InstallRequest): Installation {
  const { paths } = request
  const skills = copySkills(request)
  const agents = request.package.agents.map(agentFile)
  const hooks = installHooks(request.package, paths)
  const mcp = installMcp(request)
  const rules = installRules(request.package.rules)
  return {
    files: [
      ...request.package.commands.map(commandFile),
      ...agents.map(({ file }) => file),
      ...rules.files,
      ...(hooks.settings === null ? [] : [{ to: '.claude/settings.json', content: toJson({ hooks: hooks.settings }) }]),
    ],
    copies: [...skills.copies, ...copyInstructions(request)],
    configFiles: [
      { to: SETTINGS_FILE, content: sessionSettings(paths, Object.keys(mcp.servers)) },
      { to: MCP_FILE, content: toJson({ mcpServers: mcp.servers }) },
    ],
    hookPlan: { packageRoot: paths.packageRoot, hooks: hooks.planned },
    warnings: [skills, ...agents, rules, hooks, mcp].flatMap(({ warnings }) => warnings),
  }
}

function copySkills(request: InstallRequest): Pick<Installation, 'copies' | 'warnings'> {
  const known = new Map(request.package.skills.map((skill) => [skill.name, skill]))
  const missing = request.skills.filter((name) => !known.has(name))
  const found = request.skills.flatMap((name) => known.get(name) ?? [])
  return {
    // The answers must not be in the agent's reach.
    copies: found.map((skill) => ({
      from: skill.dir,
      to: `.claude/skills/${skill.name}`,
      exclude: ['tests', 'evals'],
    })),
    warnings: missing.map((name) => `The skill "${name}" is not in ${request.package.root}, so it is not installed.`),
  }
}

// Claude Code reads AGENTS.md itself where no CLAUDE.md stands beside it.
function copyInstructions({ package: { instructionsFile } }: InstallRequest): Installation['copies'] {
  return instructionsFile === null ? [] : [{ from: instructionsFile, to: 'AGENTS.md', exclude: [] }]
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
