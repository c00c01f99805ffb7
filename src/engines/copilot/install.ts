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
  describeSettings,
  expandCommand,
  fileNameOf,
  fillServers,
  installEach,
  ownFolders,
  readRule,
  toolsOfAgent,
  withFrontMatter,
  type FilledServer,
  type InstalledParts,
} from '../install.ts'
import { hookMatcher, toolAlias } from './record-table.ts'

/** Lays a package out as Copilot expects it below a project's `.github` folder. */
export function install(request: InstallRequest): Installation {
  const { paths } = request
  const skills = copySkills(request, '.github/skills')
  const agents = installEach(request.package.agents, installAgent)
  const hooks = installHooks(request.package, paths, HOOKS)
  const mcp = installMcp(request)
  const rules = installEach(request.package.rules, installRule)
  return {
    files: [...agents.files, ...rules.files, ...hooks.files],
    copies: [...skills.copies, ...copyInstructions(request), ...copyProject(request.package)],
    configFiles: [{ to: 'settings.json', content: formatJson(SETTINGS), readOnly: true }, ...mcp.configFiles],
    hookPlan: { ...hooks.plan, answers: 'json' },
    warnings: [
      ...[skills, agents, rules, hooks, mcp].flatMap(({ warnings }) => warnings),
      ...describeSettings(request.package, 'Copilot'),
    ],
  }
}

// Where events have these names, hooks get calls and may answer as in Claude Code.
const HOOKS: HookDialect = {
  engine: 'Copilot',
  file: '.github/hooks/package.json',
  head: { version: 1 },
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
function installAgent(agent: SubAgent): InstalledParts {
  const { tools, warnings } = toolsOfAgent(agent, 'Copilot', toolAlias, 'skill')
  const fields = { name: agent.name, description: agent.description, tools }
  const to = `.github/agents/${fileNameOf(agent.name)}.agent.md`
  return { files: [{ to, content: withFrontMatter(fields, agent.prompt) }], warnings }
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

/** A rule as `.github/instructions/<name>.instructions.md`; one for some files is read by the agent when it needs it. */
function installRule(rule: Rule): InstalledParts {
  const { body, applies, globs, warnings } = readRule(rule, 'copilot', 'Copilot')
  if (applies === 'never') return { files: [], warnings }
  const content = globs.length === 0 ? body.trimStart() : withFrontMatter({ applyTo: globs.join(',') }, body)
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
