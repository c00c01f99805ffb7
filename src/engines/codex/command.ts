import { stringify } from 'smol-toml'
import type { JsonObject, JsonValue } from '../../lib/json.ts'
import type { CommandRequest, EngineCommand, GatewayAccess, SessionPaths } from '../engine.ts'
import { PAST_PROXIES, expandCommand, ownFolders, type FilledServer } from '../install.ts'

/** Builds `codex exec`. Its own sandbox stays off: ours is around it, or none was asked for. */
export function codexCommand(request: CommandRequest): EngineCommand {
  const { paths, gateway, model, confined, isKept, resume } = request
  return {
    arguments: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--strict-config',
      // Leaves none of its own files.
      ...(isKept ? [] : ['--ephemeral']),
      // Outside a sandbox what the CLI holds for dangerous stays refused.
      ...(confined ? [] : ['--ignore-rules']),
      '--dangerously-bypass-approvals-and-sandbox',
      // The package under test is what is to run, and no user can be asked.
      '--dangerously-bypass-hook-trust',
      '-C',
      paths.workspace,
      ...gatewayArguments(gateway),
      ...(model === null ? [] : ['-m', model]),
      ...(resume === null ? [] : ['resume', resume]),
      '-',
    ],
    env: buildEnvironment(request),
    stdin: expandCommand(request.prompt, request.commands),
  }
}

/** The variables of a session. Ours win over the suite's `env`: otherwise a suite could lead it past the gateway. */
function buildEnvironment({
  env,
  paths,
  gateway,
}: Pick<CommandRequest, 'env' | 'gateway' | 'paths'>): Readonly<Record<string, string>> {
  return {
    ...env,
    // Codex refuses to work with a home below its folder for temporary files: they lie side by side.
    ...ownFolders(paths),
    ...PAST_PROXIES,
    CODEX_HOME: paths.config,
    [KEY_VARIABLE]: gateway.token,
  }
}

/** Name of the variable that holds the dummy credential; commands of the model do not get it. */
const KEY_VARIABLE = 'AGENT_EVALS_GATEWAY_KEY'

/** What decides a session's configuration. */
interface ConfigRequest {
  readonly paths: SessionPaths
  readonly servers: readonly FilledServer[]
  /** Instructions of the main thread besides its prompt: the agent under test. */
  readonly instructions: string | null
}

/** The configuration of a session that runs a package. */
export function sessionConfig({ paths, servers, instructions }: ConfigRequest): string {
  return stringify({
    ...HERMETIC,
    // A login shell would set PATH anew.
    allow_login_shell: false,
    ...(instructions === null ? {} : { developer_instructions: instructions }),
    // Otherwise the project's own hooks and agents are left out without a word.
    projects: { [paths.workspace]: { trust_level: 'trusted' } },
    mcp_servers: Object.fromEntries(servers.map((server) => [server.name, serverTable(server)])),
  })
}

/** Tells a session where the gateway is, which is known only when it is granted. */
export function gatewayArguments({ baseUrl }: Pick<GatewayAccess, 'baseUrl'>): readonly string[] {
  return ['-c', `model_providers.${PROVIDER}.base_url=${JSON.stringify(`${baseUrl}/v1`)}`]
}

// Name of the provider in the configuration.
const PROVIDER = 'gateway'

// The vendor's own hermetic recipe: nothing leaves the machine but requests to the gateway.
const HERMETIC = {
  model_provider: PROVIDER,
  check_for_update_on_startup: false,
  web_search: 'disabled',
  approval_policy: 'never',
  model_providers: {
    [PROVIDER]: {
      name: PROVIDER,
      base_url: 'http://gateway.invalid/v1',
      wire_api: 'responses',
      env_key: KEY_VARIABLE,
      supports_websockets: false,
      // The gateway waits and retries by itself.
      request_max_retries: 3,
      stream_max_retries: 2,
    },
  },
  analytics: { enabled: false },
  feedback: { enabled: false },
  otel: { exporter: 'none', metrics_exporter: 'none', trace_exporter: 'none' },
  history: { persistence: 'none' },
  shell_environment_policy: { inherit: 'all', ignore_default_excludes: true, exclude: [KEY_VARIABLE] },
  skills: { bundled: { enabled: false } },
  features: {
    // The first three would ask servers of their vendor for more of themselves.
    plugins: false,
    remote_plugin: false,
    apps: false,
    shell_snapshot: false,
    // Else a session without a gateway waits for ever.
    unbounded_connection_retries: false,
  },
}

function serverTable({ config, cwd }: FilledServer): JsonObject {
  const { command, args, env, url, headers } = config
  const transport = typeof command === 'string' ? { command, args, env, cwd } : { url, http_headers: headers }
  // A call that needs approval would fail, since no user can answer.
  return withoutNull({ ...transport, default_tools_approval_mode: 'approve' })
}

// TOML has no null.
function withoutNull(table: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return JSON.parse(JSON.stringify(table), (_, value: JsonValue) =>
    Array.isArray(value) ? value.filter((item) => item !== null) : (value ?? undefined),
  ) as JsonObject
}
