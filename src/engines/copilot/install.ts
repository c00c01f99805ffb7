import { join } from 'node:path/posix'
import { formatJson, type JsonObject } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { Rule, SubAgent } from '../../packages/package.ts'
import type { CommandRequest, EngineBase, EngineCommand, InstallRequest, Installation } from '../engine.ts'
import { installHooks, type HookDialect } from '../hooks/install-hooks.ts'
import {
  PAST_PROXIES,
  copyInstructions,
  copyProject,
  copySkills,
  expandCommand,
  fileNameOf,
  fillServers,
  installEach,
  ownFolders,
  readRule,
  withFrontMatter,
  type FilledServer,
  type InstalledRules,
} from '../install.ts'
import { hookMatcher, toolAlias } from './record-table.ts'

/** Lays a package out as Copilot expects it below a project's `.github` folder. */
export function install(request: InstallRequest): Installation {
  const { paths } = request
  const skills = copySkills(request, '.github/skills')
  const agents = request.package.agents.map(agentFile)
  const hooks = installHooks(request.package, paths, HOOKS)
  const mcp = installMcp(request)
  const rules = installRules(request.package.rules)
  return {
    files: [
      ...agents.map(({ file }) => file),
      ...rules.files,
      ...(hooks.settings === null
        ? []
        : [
            {
              to: '.github/hooks/package.json',
              content: formatJson({ version: 1, hooks: hooks.settings }),
              readOnly: true as const,
            },
          ]),
    ],
    copies: [...skills.copies, ...copyInstructions(request), ...copyProject(request.package)],
    configFiles: [{ to: 'settings.json', content: formatJson(SETTINGS), readOnly: true }, ...mcp.configFiles],
    hookPlan: { packageRoot: paths.packageRoot, hooks: hooks.planned, ...hooks.variables, answers: 'json' },
    warnings: [skills, ...agents, rules, hooks, mcp].flatMap(({ warnings }) => warnings),
  }
}

// Where events have these names, hooks get calls and may answer as in Claude Code.
const HOOKS: HookDialect = {
  engine: 'Copilot',
  eventOf: ({ native, nativeOnly }) => (nativeOnly === true ? null : native),
  runsPrompts: false,
  matcherOf: hookMatcher,
}

const SETTINGS = {
  autoUpdate: false,
  memory: false,
  // The CLI's own would compete with those under test.
  disabledSkills: ['customize-cloud-agent', 'discover-resources', 'github-pr-media'],
  ide: { autoConnect: false },
}

/** An agent as `.github/agents/<name>.agent.md`, from its agent.yaml and its prompt. */
function agentFile(agent: SubAgent): {
  readonly file: Installation['files'][number]
  readonly warnings: readonly string[]
} {
  const unknown = agent.tools.filter((tool) => toolAlias(tool) === null)
  const tools = new Set(agent.tools.flatMap((tool) => toolAlias(tool) ?? []))
  // An agent that lists its tools could not use its skills otherwise.
  if (agent.skills.length > 0 && tools.size > 0) tools.add('skill')
  const fields = {
    name: agent.name,
    description: agent.description,
    tools: tools.size === 0 ? null : [...tools],
  }
  const inherits =
    unknown.length > 0 && tools.size === 0 ? ' No known tool is left, so the agent inherits all tools.' : ''
  return {
    file: { to: `.github/agents/${fileNameOf(agent.name)}.agent.md`, content: withFrontMatter(fields, agent.prompt) },
    warnings: unknown.map((tool) => `${agent.file}: Copilot has no tool "${tool}"; it is omitted.${inherits}`),
  }
}

/** The package's MCP servers, below the config folder. */
const MCP_FILE = 'package-mcp-servers.json'

/** The package's MCP servers as `--additional-mcp-config` takes them; no file when there are none. */
function installMcp(request: InstallRequest): Pick<Installation, 'configFiles' | 'warnings'> {
  const { servers, warnings } = fillServers(request)
  if (servers.length === 0) return { configFiles: [], warnings }
  const mcpServers = Object.fromEntries(servers.map((server) => [server.name, nativeServer(server)]))
  const content = formatJson({ mcpServers })
  return { configFiles: [{ to: MCP_FILE, content, readOnly: true }], warnings }
}

function nativeServer({ config, cwd }: FilledServer): JsonObject {
  return { ...config, ...(typeof config['command'] === 'string' ? { cwd } : {}), tools: ['*'] }
}

/** Rules as `.github/instructions/<name>.instructions.md`; one for some files is read by the agent when it needs it. */
function installRules(rules: readonly Rule[]): InstalledRules {
  return installEach(rules, installRule)
}

function installRule(rule: Rule): InstalledRules {
  const { body, mode, globs } = readRule(rule, 'copilot')
  if (mode === 'none') return { files: [], warnings: [] }
  if (mode === 'manual') {
    const warning = `${rule.file}: the rule applies only when it is named; Copilot has no such rules, so it is omitted.`
    return { files: [], warnings: [warning] }
  }
  const content = globs.length === 0 ? body.trimStart() : withFrontMatter({ applyTo: globs.join(',') }, body)
  const warnings =
    mode === 'intelligent' ? [`${rule.file}: Copilot has no rules that the agent chooses, so it always applies.`] : []
  return { files: [{ to: `.github/instructions/${fileNameOf(rule.name)}.instructions.md`, content }], warnings }
}

/** Builds the headless call. Without `-p` the prompt is what comes on standard input, however long it is. */
export function copilotCommand(request: CommandRequest, wire: EngineBase['wire']): EngineCommand {
  const { paths, target, hasMcp, confined } = request
  const sessionId = request.resume ?? idFor(request.gateway.token)
  return {
    arguments: [
      '--output-format=json',
      '--no-ask-user',
      '--no-auto-update',
      `--session-id=${sessionId}`,
      '--disable-builtin-mcps',
      '--allow-all-tools',
      // Outside a sandbox the CLI's own guard of paths and addresses is all there is.
      ...(confined ? ['--allow-all-paths', '--allow-all-urls'] : [`--add-dir=${paths.packageRoot}`]),
      ...(hasMcp ? [`--additional-mcp-config=@${join(paths.config, MCP_FILE)}`] : []),
      ...(target?.kind === 'agent' ? [`--agent=${target.name}`] : []),
      '-C',
      paths.workspace,
    ],
    env: environment(request, wire),
    stdin: expandCommand(request.prompt, request.commands),
    sessionId,
  }
}

// The CLI tells the id of a session only at its end, which one that is killed never reaches.
function idFor(token: string): string {
  const hex = sha256(token)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

// Ours win over the suite's `env`: otherwise a suite could lead the session past the gateway.
function environment(request: CommandRequest, wire: EngineBase['wire']): Readonly<Record<string, string>> {
  const { env, paths, gateway, model, unpacked } = request
  return {
    ...env,
    ...ownFolders(paths),
    ...PAST_PROXIES,
    COPILOT_HOME: paths.config,
    // No account, no telemetry, no update: nothing but the provider is asked.
    COPILOT_OFFLINE: 'true',
    // Otherwise the project's own hooks and agents are left out. The flag for it is none for a session with an id.
    COPILOT_ALLOW_ALL: 'true',
    ...(unpacked === null ? {} : { COPILOT_CLI_DIST_DIR: unpacked }),
    ...(model === null ? {} : { COPILOT_MODEL: model }),
    ...(wire === 'anthropic-messages'
      ? { COPILOT_PROVIDER_TYPE: 'anthropic', COPILOT_PROVIDER_BASE_URL: gateway.baseUrl }
      : {
          COPILOT_PROVIDER_TYPE: 'openai',
          COPILOT_PROVIDER_WIRE_API: 'responses',
          COPILOT_PROVIDER_BASE_URL: `${gateway.baseUrl}/v1`,
        }),
    [gateway.credential === 'api-key' ? 'COPILOT_PROVIDER_API_KEY' : 'COPILOT_PROVIDER_BEARER_TOKEN']: gateway.token,
  }
}
