import { agentFile } from './agent-file.ts'
import { commandFile } from './command-file.ts'
import { copyNativeParts } from './copy-native-parts.ts'
import { copyProject } from '../install/copy-project.ts'
import { copyInstructions, copySkills } from '../install/copy-skills.ts'
import { installHooks, type HookDialect } from '../hooks/install-hooks.ts'
import { installMcp } from './install-mcp.ts'
import { installRules } from './install-rules.ts'
import { registeredName, standInConfig } from '../mocks/stand-in.ts'
import { MCP_FILE, SETTINGS_FILE, sessionSettings } from './settings.ts'
import { formatJson } from '../../json.ts'
import type { InstallRequest, Installation } from '../engine.ts'

/** Lays a package out as Claude Code expects it below a project's `.claude` folder. */
export function install(request: InstallRequest): Installation {
  const { paths } = request
  if (request.asPlugin === true) return installBeside(request)
  const skills = copySkills(request, SKILLS)
  const agents = request.package.agents.filter(isOwn).map(agentFile)
  const hooks = installHooks(request.package, paths, HOOKS)
  const mcp = installMcp(request)
  const rules = installRules(request.package.rules)
  return {
    files: [
      ...request.package.commands.filter(isOwn).map(commandFile),
      ...agents.map(({ file }) => file),
      ...rules.files,
      ...(hooks.settings === null
        ? []
        : [{ to: '.claude/settings.json', content: formatJson({ hooks: hooks.settings }), readOnly: true as const }]),
    ],
    skillsFolder: SKILLS,
    // Claude Code reads AGENTS.md itself where no CLAUDE.md stands beside it.
    copies: [
      ...skills.copies,
      ...copyInstructions(request),
      ...copyNativeParts(request.package),
      ...copyProject(request.package),
    ],
    configFiles: [
      { to: SETTINGS_FILE, content: sessionSettings(paths, Object.keys(mcp.servers)), readOnly: true },
      { to: MCP_FILE, content: formatJson({ mcpServers: mcp.servers }), readOnly: true },
    ],
    hookPlan: { packageRoot: paths.packageRoot, hooks: hooks.planned, ...hooks.variables },
    warnings: [skills, ...agents, rules, hooks, mcp].flatMap(({ warnings }) => warnings),
  }
}

// A plugin is loaded from its folder, with hooks, commands, agents and servers of its own.
function installBeside({ paths, standIns = [] }: InstallRequest): Installation {
  const servers = standIns.map((one) => [registeredName(one), standInConfig(one, paths)])
  return {
    files: [],
    copies: [],
    configFiles: [
      { to: SETTINGS_FILE, content: sessionSettings(paths, []), readOnly: true },
      { to: MCP_FILE, content: formatJson({ mcpServers: Object.fromEntries(servers) }), readOnly: true },
    ],
    hookPlan: { packageRoot: paths.packageRoot, hooks: [] },
    warnings: [],
  }
}

// What is written for Claude Code is copied as it is.
function isOwn({ native }: { readonly native?: true }): boolean {
  return native !== true
}

const SKILLS = '.claude/skills'

const HOOKS: HookDialect = { engine: 'Claude Code', eventOf: ({ native }) => native, runsPrompts: true }
