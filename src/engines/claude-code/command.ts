import { dirname, join } from 'node:path/posix'
import {
  formatJson,
  objectOf,
  tryParseJson,
  objectsOf,
  stringOf,
  type JsonObject,
  type JsonValue,
} from '../../lib/json.ts'
import type {
  CommandRequest,
  Dialogue,
  EngineCommand,
  GatewayAccess,
  PluginSession,
  SessionPaths,
  AskedQuestion,
  UserQuestions,
} from '../engine.ts'
import { PAST_PROXIES, ownFolders } from '../install.ts'
import { registeredName, toolName } from '../mocks/mock-spec.ts'
import { MOD_FOLDER, MOD_LOG } from './mod.ts'

/**
 * What the CLI asks on its stdout with `--permission-prompt-tool=stdio`: answers to `AskUserQuestion`, and leave for calls
 * that nothing has allowed. Without the flag it refuses such calls by itself, so they are refused here.
 */
const questions: UserQuestions = {
  deciders: ['permission-request'],
  read(line) {
    if (!line.includes('"control_request"')) return null
    const parsed = objectOf(tryParseJson(line))
    const id = stringOf(parsed['request_id'])
    if (parsed['type'] !== 'control_request' || id === '') return null
    const request = objectOf(parsed['request'])
    const isQuestion = request['subtype'] === 'can_use_tool' && request['tool_name'] === 'AskUserQuestion'
    const askedQuestions = isQuestion ? objectsOf(objectOf(request['input'])['questions']).map(toQuestion) : []
    return { id, questions: askedQuestions, request }
  },
  reply({ id, request, questions: askedQuestions }, answers) {
    if (request['subtype'] !== 'can_use_tool') return respond(id, { subtype: 'error', error: 'There is no user.' })
    if (answers === null) {
      const message = askedQuestions.length > 0 ? 'Nobody is there to answer.' : refusal(request)
      return respond(id, { subtype: 'success', response: { behavior: 'deny', message } })
    }
    const updatedInput = { questions: objectOf(request['input'])['questions'] ?? [], answers }
    return respond(id, { subtype: 'success', response: { behavior: 'allow', updatedInput } })
  },
}

function toQuestion({ question, header, options, multiSelect }: JsonObject): AskedQuestion {
  return {
    question: stringOf(question),
    heading: stringOf(header),
    options: objectsOf(options).map(({ label }) => stringOf(label)),
    takesSeveral: multiSelect === true,
  }
}

// A hook that asks gives its reason, and the model gets that where nobody is asked.
function refusal(request: JsonObject): string {
  const reason = stringOf(request['decision_reason'])
  if (request['decision_reason_type'] === 'hook' && reason !== '') return reason
  return `Permission to use ${stringOf(request['tool_name'])} has been denied because nobody is there to give it.`
}

function respond(id: string, response: Readonly<Record<string, JsonValue | object>>): string {
  return `${JSON.stringify({ type: 'control_response', response: { ...response, request_id: id } })}\n`
}

/** The vendor's own hermetic recipe: only the workspace's files count, nothing of the person who runs it. */
export function buildCommand(request: CommandRequest): EngineCommand {
  const { config } = request.paths
  return {
    arguments: [
      '-p',
      ...(request.converses ? ['--input-format=stream-json'] : []),
      // The tools of the plan mode would be offered too.
      ...(request.answersQuestions
        ? ['--permission-prompt-tool=stdio', '--disallowed-tools=EnterPlanMode,ExitPlanMode']
        : []),
      '--output-format=stream-json',
      '--verbose',
      '--include-hook-events',
      '--forward-subagent-text',
      '--setting-sources=project',
      `--settings=${join(config, SETTINGS_FILE)}`,
      // The servers of a plugin are its own.
      ...(request.plugin === undefined ? ['--strict-mcp-config'] : []),
      ...((request.plugin === undefined ? request.hasMcp : request.plugin.standIns.length > 0)
        ? ['--mcp-config', join(config, MCP_FILE)]
        : []),
      ...(request.hasMod === true ? [`--debug-file=${join(config, MOD_LOG)}`] : []),
      ...(request.hasMod === true && request.plugin === undefined ? [`--plugin-dir=${join(config, MOD_FOLDER)}`] : []),
      ...(request.model === null ? [] : ['--model', request.model]),
      ...(request.target?.kind === 'agent' ? ['--agent', request.target.name] : []),
      ...(request.resume === null ? [] : ['--resume', request.resume]),
      ...(request.plugin === undefined ? permissions(request) : pluginArguments(request.plugin, request.paths)),
    ],
    env: buildEnvironment(request),
    // Variadic flags would swallow a prompt among the arguments, which are limited in length besides.
    stdin: request.converses ? dialogue.say(request.prompt) : request.prompt,
  }
}

/** Messages as lines of JSON; each turn ends with a result. */
export const dialogue: Dialogue = {
  say: (content) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`,
  endsTurn: (line) => line.includes('"result"') && objectOf(tryParseJson(line))['type'] === 'result',
  questions,
}

// Inside a sandbox the permission layer would only hide a hook that fails to block. Outside it is all there is, and binds
// the file tools; nothing binds Bash.
function permissions({ answersQuestions, confined, writablePaths }: CommandRequest): readonly string[] {
  if (confined) return ['--permission-mode', 'bypassPermissions']

  const edits = (writablePaths ?? ['.']).map((path) => `Edit(${relativeRule(path)})`)
  const rules = ['Bash', 'Skill', 'Agent', 'Read(./**)', ...edits]
  // It asks what it would refuse by itself in the other mode, and is refused.
  return ['--permission-mode', answersQuestions ? 'default' : 'dontAsk', `--allowedTools=${rules.join(',')}`]
}

// `Edit` rules count for every tool that writes; `Write` rules are ignored.
function relativeRule(path: string): string {
  const plain = path.replace(/^(\.\/)+/, '').replace(/(?<!\/)\/+$/, '')
  return plain === '' || plain === '.' ? './**' : `./${plain}/**`
}

/**
 * The variables that Claude Code needs besides those of every session (PATH, LANG). Ours win over the suite's `env`:
 * otherwise a suite could lead the session past the gateway.
 */
export function buildEnvironment({
  env,
  settingsEnv,
  paths,
  confined,
  gateway,
}: Pick<CommandRequest, 'confined' | 'env' | 'gateway' | 'paths' | 'settingsEnv'>): Readonly<Record<string, string>> {
  return {
    ...settingsEnv,
    ...env,
    ...ownFolders(paths),
    CLAUDE_CONFIG_DIR: paths.config,
    // A folder without settings that no session can write to: what is put there could switch all hooks off.
    CLAUDE_CODE_MANAGED_SETTINGS_PATH: dirname(paths.shim),
    CLAUDE_CODE_TMPDIR: paths.tmp,
    CLAUDE_PLUGIN_ROOT: paths.packageRoot,
    ...FIXED,
    // Without it the CLI refuses to bypass permissions as root; outside a sandbox it must keep refusing.
    ...(confined ? { IS_SANDBOX: '1' } : {}),
    ...reach(gateway),
    ...meanings(gateway),
    [CREDENTIALS[gateway.credential]]: gateway.token,
  }
}

// Over the socket the base URL is never resolved, and must not be https: that would do TLS on the socket.
function reach({ socket, baseUrl }: GatewayAccess): Readonly<Record<string, string>> {
  return socket === null
    ? { ANTHROPIC_BASE_URL: baseUrl, ...PAST_PROXIES }
    : { ANTHROPIC_BASE_URL: 'http://model.invalid', ANTHROPIC_UNIX_SOCKET: socket }
}

// Whatever names an alias: the option, an agent of the package, or the model that starts one.
function meanings({ aliases = {} }: GatewayAccess): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(aliases).map(([alias, id]) => [`ANTHROPIC_DEFAULT_${alias.toUpperCase()}_MODEL`, id]),
  )
}

const CREDENTIALS: Readonly<Record<GatewayAccess['credential'], string>> = {
  'api-key': 'ANTHROPIC_API_KEY',
  'auth-token': 'ANTHROPIC_AUTH_TOKEN',
  oauth: 'CLAUDE_CODE_OAUTH_TOKEN',
}

const FIXED: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  ENABLE_CLAUDEAI_MCP_SERVERS: 'false',
  // One result per run, and sub-agents in step with it.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  // The CLI's own skills would compete with those under test. Without the second the first makes requests longer.
  CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: '1',
  CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
  CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
  // The gateway waits and retries by itself.
  CLAUDE_CODE_MAX_RETRIES: '3',
  // By default a session-end hook is killed after 1.5 s, whatever timeout it declares.
  CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '330000',
}

/** Settings of every session, below the config folder. */
export const SETTINGS_FILE = 'session-settings.json'

/** The package's MCP servers, below the config folder. */
export const MCP_FILE = 'mcp-servers.json'

/** What the project's own settings cannot say: permissions of an untrusted project do not count. */
export function sessionSettings(paths: SessionPaths, mcpServers: readonly string[]): string {
  const settings = {
    // The one skill of the CLI's own that no variable removes.
    enabledPlugins: { 'cc-plugin-plugin-authoring@builtin': false },
    // Instructions in folders above the workspace would load otherwise.
    claudeMdExcludes: ancestors(paths.workspace).flatMap((folder) => [
      `${folder}/CLAUDE.md`,
      `${folder}/CLAUDE.local.md`,
      `${folder}/AGENTS.md`,
      `${folder}/.claude/CLAUDE.md`,
      `${folder}/.claude/rules/**`,
    ]),
    permissions: { allow: mcpServers.map((server) => `mcp__${server.replaceAll(/[^\w-]/g, '_')}`) },
  }
  return formatJson(settings)
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder)
  if (parent === folder) return []
  return [parent === '/' ? '' : parent, ...ancestors(parent)]
}

/**
 * Arguments of a session that is run as `claude plugin eval` runs it: the plugin itself instead of its parts, and no
 * tool beyond the read-only ones unless the case allows it.
 */
function pluginArguments(session: PluginSession, paths: SessionPaths): readonly string[] {
  const { addDirs, pluginDirs, maxTurns, allowedTools, disallowedTools, appendSystemPrompt } = session
  const folders = [paths.workspace, paths.tmp, ...pluginDirs, ...addDirs]
  const allowed = [
    'Skill',
    ...READERS.flatMap((tool) => folders.map((folder) => `${tool}(/${folder}/**)`)),
    ...allowedTools.flatMap((rule) => confine(rule, paths)),
    ...session.standIns.flatMap((one) => one.tools.map((tool) => toolName(registeredName(one), tool))),
  ]
  const withheld = GATED.filter((tool) => !allowedTools.some((rule) => nameOf(rule) === tool))
  return [
    '--permission-mode=dontAsk',
    `--max-turns=${maxTurns}`,
    ...pluginDirs.map((folder) => `--plugin-dir=${folder}`),
    ...(appendSystemPrompt === null ? [] : [`--append-system-prompt=${appendSystemPrompt}`]),
    `--allowed-tools=${allowed.join(',')}`,
    `--disallowed-tools=${[...new Set([...withheld, ...disallowedTools])].join(',')}`,
  ]
}

const READERS = ['Read', 'Glob', 'Grep']
const WRITERS: ReadonlySet<string> = new Set(['Edit', 'NotebookEdit', 'Write'])

/** Tools that act on more than the workspace, or on the person who runs it. */
const GATED = ['Bash', 'Monitor', 'PowerShell', 'SendMessage', 'WebFetch', 'WebSearch', 'Workflow']

// Without folders of its own a rule for a file tool would hold for the whole file system.
function confine(rule: string, { workspace, tmp }: SessionPaths): readonly string[] {
  if (READERS.includes(rule) || rule === 'Skill') return []
  // `Edit` rules count for every tool that writes.
  const rules = ['Edit', ...(rule === 'Edit' ? [] : [rule])]
  return WRITERS.has(rule) ? [workspace, tmp].flatMap((folder) => rules.map((one) => `${one}(/${folder}/**)`)) : [rule]
}

function nameOf(rule: string): string {
  return rule.split('(', 1)[0] ?? rule
}
