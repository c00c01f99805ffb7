import { basename } from 'node:path'
import { formatJson, type JsonObject } from '../../lib/json.ts'
import type { AgentPackage, Command, Rule, SubAgent } from '../../packages/package.ts'
import type { InstallRequest, Installation } from '../engine.ts'
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
  withFrontMatter,
  type FilledServer,
  type InstalledRules,
} from '../install.ts'
import { registeredName, standInConfig } from '../mocks/mock-spec.ts'
import { MCP_FILE, SETTINGS_FILE, sessionSettings } from './command.ts'
import { nativeTools } from './record-table.ts'

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
    // It ends the session at that, and carries the call out before.
    hookPlan: { packageRoot: paths.packageRoot, hooks: hooks.planned, ...hooks.variables, unheeded: ['continue'] },
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

/** An agent as the one file `.claude/agents/<name>.md`, from its agent.yaml and its prompt. */
function agentFile(agent: SubAgent): {
  readonly file: Installation['files'][number]
  readonly warnings: readonly string[]
} {
  const unknown = agent.tools.filter((tool) => nativeTools(tool).length === 0)
  const tools = new Set(agent.tools.flatMap(nativeTools))
  // An agent that lists its tools could not use its skills otherwise.
  if (agent.skills.length > 0 && tools.size > 0) tools.add('Skill')
  const fields = {
    name: agent.name,
    description: agent.description,
    tools: tools.size === 0 ? null : [...tools].join(', '),
  }
  const inherits =
    unknown.length > 0 && tools.size === 0 ? ' No known tool is left, so the agent inherits all tools.' : ''
  return {
    file: { to: `.claude/agents/${fileNameOf(agent.name)}.md`, content: withFrontMatter(fields, agent.prompt) },
    warnings: unknown.map((tool) => `${agent.file}: Claude Code has no tool "${tool}"; it is omitted.${inherits}`),
  }
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

/** What {@link installMcp} returns: servers as `--mcp-config` takes them. */
interface InstalledMcp {
  readonly servers: Readonly<Record<string, JsonObject>>
  readonly warnings: readonly string[]
}

/** The package's MCP servers as Claude Code takes them. */
function installMcp(request: InstallRequest): InstalledMcp {
  const { servers, warnings } = fillServers(request)
  return { servers: Object.fromEntries(servers.map((server) => [server.name, nativeServer(server)])), warnings }
}

// Claude Code starts every server in the workspace, whatever `cwd` says.
function nativeServer({ config, cwd }: FilledServer): JsonObject {
  const { command } = config
  if (typeof command !== 'string') return config
  const words = Array.isArray(config['args']) ? config['args'] : []
  return { ...config, command: 'sh', args: ['-c', 'cd "$0" && exec "$@"', cwd, command, ...words] }
}

/** Rules as `.claude/rules/<name>/RULE.md`; `paths` there and `apply` in the package say where a rule applies. */
function installRules(rules: readonly Rule[]): InstalledRules {
  return installEach(rules, installRule)
}

function installRule(rule: Rule): InstalledRules {
  const { text, body, mode, globs } = readRule(rule, 'claude')
  if (mode === 'none') return { files: [], warnings: [] }
  if (mode === 'manual') {
    const warning = `${rule.file}: the rule applies only when it is named; Claude Code has no such rules, so it is omitted.`
    return { files: [], warnings: [warning] }
  }

  const content = globs.length === 0 ? text : withFrontMatter({ paths: globs }, body)
  const warnings =
    mode === 'intelligent'
      ? [`${rule.file}: Claude Code has no rules that the agent chooses, so it always applies.`]
      : []
  return { files: [{ to: `.claude/rules/${rule.name}/RULE.md`, content }], warnings }
}
