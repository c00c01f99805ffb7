import { stringify } from 'smol-toml'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { GatewayAccess, SessionPaths } from '../engine.ts'
import type { FilledServer } from '../install/mcp-servers.ts'

/** Name of the variable that holds the dummy credential; commands of the model do not get it. */
export const KEY_VARIABLE = 'AGENT_EVALS_GATEWAY_KEY'

/** What decides a session's configuration. */
export interface ConfigRequest {
  readonly paths: SessionPaths
  readonly servers: readonly FilledServer[]
  /** Instructions of the main thread besides its prompt: the agent under test. */
  readonly instructions: string | null
}

/** The configuration of a session that runs a package. */
export function sessionConfig({ paths, servers, instructions }: ConfigRequest): string {
  return hermeticConfig({
    // A login shell would set PATH anew.
    allow_login_shell: false,
    ...(instructions === null ? {} : { developer_instructions: instructions }),
    // Otherwise the project's own hooks and agents are left out without a word.
    projects: { [paths.workspace]: { trust_level: 'trusted' } },
    mcp_servers: Object.fromEntries(servers.map((server) => [server.name, serverTable(server)])),
  })
}

/** The vendor's own hermetic recipe, as `config.toml`: nothing leaves the machine but requests to the gateway. */
export function hermeticConfig({ features = {}, ...settings }: ConfigSettings): string {
  return stringify({ ...SETTINGS, ...settings, features: { ...FEATURES, ...features } })
}

/** Settings of one configuration besides the hermetic ones. */
export interface ConfigSettings {
  readonly [name: string]: JsonValue
  readonly features?: Readonly<Record<string, boolean>>
}

/** Tells a session where the gateway is, which is known only when it is granted. */
export function gatewayArguments({ baseUrl }: Pick<GatewayAccess, 'baseUrl'>): readonly string[] {
  return ['-c', `model_providers.${PROVIDER}.base_url=${JSON.stringify(`${baseUrl}/v1`)}`]
}

// Name of the provider in the configuration.
const PROVIDER = 'gateway'

const SETTINGS = {
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
}

const FEATURES = {
  // The first three would ask servers of their vendor for more of themselves.
  plugins: false,
  remote_plugin: false,
  apps: false,
  shell_snapshot: false,
  // Else a session without a gateway waits for ever.
  unbounded_connection_retries: false,
}

function serverTable({ config, cwd }: FilledServer): JsonObject {
  const { command, args, env, url, headers } = config
  const own = typeof command === 'string' ? { command, args, env, cwd } : { url, http_headers: headers }
  // A call that needs approval would fail, since no user can answer.
  return withoutNull({ ...own, default_tools_approval_mode: 'approve' })
}

// TOML has no null.
function withoutNull(table: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return JSON.parse(JSON.stringify(table), (_, value: JsonValue) =>
    Array.isArray(value) ? value.filter((item) => item !== null) : (value ?? undefined),
  ) as JsonObject
}
