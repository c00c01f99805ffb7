import { toToml, tomlTable } from './toml.ts'
import type { JsonValue } from '../../json.ts'
import type { GatewayAccess, SessionPaths } from '../engine.ts'
import type { FilledServer } from '../mcp-servers.ts'

/** Name of the variable that holds the dummy credential; commands of the model do not get it. */
export const KEY_VARIABLE = 'AGENT_EVALS_GATEWAY_KEY'

/** What decides a session's configuration. */
export interface ConfigRequest {
  readonly paths: SessionPaths
  readonly servers: readonly FilledServer[]
  /** What the main thread is told besides its prompt: the agent under test. */
  readonly instructions: string | null
}

/** The configuration of a session that runs a package. */
export function sessionConfig({ paths, servers, instructions }: ConfigRequest): string {
  return hermeticConfig({
    settings: {
      // A login shell would set PATH anew.
      allow_login_shell: false,
      ...(instructions === null ? {} : { developer_instructions: instructions }),
    },
    features: {},
    tables: [
      // Otherwise the project's own hooks and agents are left out without a word.
      [['projects', paths.workspace], { trust_level: 'trusted' }],
      ...servers.map(serverTable),
    ],
  })
}

/** What a configuration holds besides what makes it hermetic. */
export interface ConfigParts {
  readonly settings: Table
  readonly features: Table
  readonly tables: readonly (readonly [
    path: readonly string[],
    values: Readonly<Record<string, JsonValue | undefined>>,
  ])[]
}

type Table = Readonly<Record<string, JsonValue>>

/** The vendor's own hermetic recipe, as `config.toml`: nothing leaves the machine but requests to the gateway. */
export function hermeticConfig({ settings, features, tables }: ConfigParts): string {
  return [
    ...Object.entries({ ...SETTINGS, ...settings }).map(([name, value]) => `${name} = ${toToml(value)}`),
    '',
    tomlTable(['model_providers', PROVIDER], GATEWAY),
    ...FIXED.map(([name, values]) => tomlTable([name], values)),
    tomlTable(['features'], { ...FEATURES, ...features }),
    tomlTable(['skills', 'bundled'], { enabled: false }),
    ...tables.map(([path, values]) => tomlTable(path, values)),
  ].join('\n')
}

/** Tells a session where the gateway is, which is known only when it is granted. */
export function gatewayArguments({ baseUrl }: Pick<GatewayAccess, 'baseUrl'>): readonly string[] {
  return ['-c', `model_providers.${PROVIDER}.base_url=${toToml(`${baseUrl}/v1`)}`]
}

// Name of the provider in the configuration.
const PROVIDER = 'gateway'

const SETTINGS: Table = {
  model_provider: PROVIDER,
  check_for_update_on_startup: false,
  web_search: 'disabled',
  approval_policy: 'never',
}

const GATEWAY: Table = {
  name: PROVIDER,
  base_url: 'http://gateway.invalid/v1',
  wire_api: 'responses',
  env_key: KEY_VARIABLE,
  supports_websockets: false,
  // The gateway waits and retries by itself.
  request_max_retries: 3,
  stream_max_retries: 2,
}

const FIXED: readonly (readonly [name: string, values: Table])[] = [
  ['analytics', { enabled: false }],
  ['feedback', { enabled: false }],
  ['otel', { exporter: 'none', metrics_exporter: 'none', trace_exporter: 'none' }],
  ['history', { persistence: 'none' }],
  ['shell_environment_policy', { inherit: 'all', ignore_default_excludes: true, exclude: [KEY_VARIABLE] }],
]

const FEATURES: Table = {
  // The first three would ask servers of their vendor for more of themselves.
  plugins: false,
  remote_plugin: false,
  apps: false,
  shell_snapshot: false,
  // Else a session without a gateway waits for ever.
  unbounded_connection_retries: false,
}

// Nobody can be asked, so a call that needs approval would fail.
function serverTable({ name, config, cwd }: FilledServer): ConfigParts['tables'][number] {
  const { command, args, env, url, headers } = config
  const own = typeof command === 'string' ? { command, args, env, cwd } : { url, http_headers: headers }
  return [['mcp_servers', name], { ...own, default_tools_approval_mode: 'approve' }]
}
