import { basename } from 'node:path'
import { formatJson, type JsonObject } from '../../lib/json.ts'
import type { AgentPackage, Command, Rule, SubAgent } from '../../packages/package.ts'
import type { InstallRequest, Installation, SessionPaths } from '../engine.ts'
import { installHooks, type HookDialect } from '../hooks/install-hooks.ts'
import {
  commandText,
  copyInstructions,
  copyProject,
  copySkills,
  fileNameOf,
  fillServers,
  installEach,
  readRule,
  serverLog,
  toolsOfAgent,
  withFrontMatter,
  type FilledServer,
  type InstalledParts,
} from '../install.ts'
import { registeredName, standInConfig } from '../mocks/mock-spec.ts'
import { MCP_FILE, SETTINGS_FILE, sessionSettings } from './command.ts'
import { installMod } from './mod.ts'
import { nativeTools } from './record-table.ts'

/** Lays a package out as Claude Code expects it below a project's `.claude` folder. */
export function install(request: InstallRequest): Installation {
  const { paths } = request
  if (request.asPlugin === true) return installBeside(request)
  const skills = copySkills(request, SKILLS)
  const agents = installEach(request.package.agents.filter(isOwn), installAgent)
  const mod = installMod(request.package)
  const { settings } = request.package
  const head = settings === undefined ? {} : { permissions: { deny: settings.deny } }
  const hooks = installHooks(request.package, paths, { ...HOOKS, head })
  const mcp = fillServers(request)
  const mcpServers = Object.fromEntries(mcp.servers.map((server) => [server.name, nativeServer(server, paths)]))
  const rules = installEach(request.package.rules, installRule)
  return {
    files: [
      ...request.package.commands.filter(isOwn).map(commandFile),
      ...agents.files,
      ...rules.files,
      ...hooks.files,
      // In place of the project's own, whose variables could lead a session past the gateway.
      ...(settings !== undefined && hooks.files.length === 0
        ? [{ to: HOOKS.file, content: formatJson(head), readOnly: true as const }]
        : []),
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
      { to: SETTINGS_FILE, content: sessionSettings(paths, Object.keys(mcpServers)), readOnly: true },
      { to: MCP_FILE, content: formatJson({ mcpServers }), readOnly: true },
      ...mod.configFiles,
    ],
    ...(mod.configCopies === undefined ? {} : { configCopies: mod.configCopies }),
    // It ends the session at that, and carries the call out before.
    hookPlan: { ...hooks.plan, ...mod.plan, unheeded: ['continue'] },
    warnings: [skills, agents, rules, hooks, mcp].flatMap(({ warnings }) => warnings),
  }
}

// A plugin is loaded from its folder, with hooks, commands, agents and servers of its own.
function installBeside({ paths, package: pkg, standIns = [] }: InstallRequest): Installation {
  const servers = standIns.map((one) => [registeredName(one), standInConfig(one, paths)])
  return {
    files: [],
    copies: [],
    configFiles: [
      { to: SETTINGS_FILE, content: sessionSettings(paths, []), readOnly: true },
      { to: MCP_FILE, content: formatJson({ mcpServers: Object.fromEntries(servers) }), readOnly: true },
    ],
    hookPlan: { packageRoot: paths.packageRoot, hooks: [], ...installMod(pkg).plan },
    warnings: [],
  }
}

// What is written for Claude Code is copied as it is.
function isOwn({ native }: { readonly native?: true }): boolean {
  return native !== true
}

const SKILLS = '.claude/skills'

const HOOKS: HookDialect = {
  engine: 'Claude Code',
  file: '.claude/settings.json',
  eventOf: ({ native }) => native,
  runsPrompts: true,
  loadsMods: true,
}

/** An agent as the one file `.claude/agents/<name>.md`, from its agent.yaml and its prompt. */
function installAgent(agent: SubAgent): InstalledParts {
  const { tools, warnings } = toolsOfAgent(agent, 'Claude Code', nativeTools, 'Skill')
  const fields = { name: agent.name, description: agent.description, tools: tools?.join(', ') ?? null }
  const to = `.claude/agents/${fileNameOf(agent.name)}.md`
  return { files: [{ to, content: withFrontMatter(fields, agent.prompt) }], warnings }
}

/** A command as `.claude/commands/<name>.md`. */
function commandFile(command: Command): Installation['files'][number] {
  const hint = command.variables.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')
  const fields = {
    description: command.description === '' ? null : command.description,
    'argument-hint': hint === '' ? null : hint,
  }
  const to = `.claude/commands/${fileNameOf(command.name)}.md`
  return { to, content: withFrontMatter(fields, commandText(command)) }
}

/** Copies the commands and agents that are written for Claude Code, unchanged. */
function copyNativeParts({ commands, agents }: AgentPackage): Installation['copies'] {
  return [
    ...commands
      .filter(({ native }) => native === true)
      .map(({ name, file }) => copyOf(file, `.claude/commands/${name.split(':').map(fileNameOf).join('/')}.md`)),
    ...agents
      .filter(({ native }) => native === true)
      .map(({ file }) => copyOf(file, `.claude/agents/${fileNameOf(basename(file, '.md'))}.md`)),
  ]
}

function copyOf(from: string, to: string): Installation['copies'][number] {
  return { from, to, exclude: [] }
}

// Claude Code starts every server in the workspace, whatever `cwd` says, and does not show what it prints.
function nativeServer({ name, config, cwd }: FilledServer, { hooks }: SessionPaths): JsonObject {
  const { command } = config
  if (typeof command !== 'string') return config
  const words = Array.isArray(config['args']) ? config['args'] : []
  return { ...config, command: 'sh', args: ['-c', START, cwd, `${hooks}/${serverLog(name)}`, command, ...words] }
}

const START = 'cd "$0" && log=$1 && shift && exec "$@" 2>>"$log"'

/** A rule as `.claude/rules/<name>/RULE.md`; `paths` there and `apply` in the package say where it applies. */
function installRule(rule: Rule): InstalledParts {
  const { text, body, applies, globs, warnings } = readRule(rule, 'claude', 'Claude Code')
  if (applies === 'never') return { files: [], warnings }
  const content = globs.length === 0 ? text : withFrontMatter({ paths: globs }, body)
  return { files: [{ to: `.claude/rules/${rule.name}/RULE.md`, content }], warnings }
}
