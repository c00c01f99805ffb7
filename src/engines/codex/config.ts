import { toToml, tomlTable } from './toml.ts'
import type { JsonValue } from '../../json.ts'
import type { SessionPaths } from '../engine.ts'
import type { FilledServer } from '../mcp-servers.ts'

/** Name of the variable that holds the dummy credential; commands of the model do not get it. */
export const KEY_VARIABLE = 'AGENT_EVALS_GATEWAY_KEY'

/** Name of the provider in the configuration. */
export const PROVIDER = 'gateway'

/** What decides a session's configuration. */
export interface ConfigRequest {
  readonly paths: SessionPaths
  readonly servers: readonly FilledServer[]
  /** What the main thread is told besides its prompt: the agent under test. */
  readonly instructions: string | null
}

/** The vendor's own hermetic recipe, as `config.toml`: nothing leaves the machine but requests to the gateway. */
export function sessionConfig({ paths, servers, instructions }: ConfigRequest): string {
  const settings: Readonly<Record<string, JsonValue>> = {
    model_provider: PROVIDER,
    check_for_update_on_startup: false,
    web_search: 'disabled',
    approval_policy: 'never',
    // A login shell would set PATH anew.
    allow_login_shell: false,
    ...(instructions === null ? {} : { developer_instructions: instructions }),
  }
  return [
    ...Object.entries(settings).map(([name, value]) => `${name} = ${toToml(value)}`),
    '',
    tomlTable(['model_providers', PROVIDER], {
      name: PROVIDER,
      // The address is known only when a run is granted, and then given on the command line.
      base_url: 'http://gateway.invalid/v1',
      wire_api: 'responses',
      env_key: KEY_VARIABLE,
      supports_websockets: false,
      // The gateway waits and retries by itself.
      request_max_retries: 3,
      stream_max_retries: 2,
    }),
    ...FIXED.map(([name, values]) => tomlTable([name], values)),
    tomlTable(['skills', 'bundled'], { enabled: false }),
    // Otherwise the project's own hooks and agents are left out without a word.
    tomlTable(['projects', paths.workspace], { trust_level: 'trusted' }),
    ...servers.map(serverTable),
  ].join('\n')
}

const FIXED: readonly (readonly [name: string, values: Readonly<Record<string, JsonValue>>])[] = [
  ['analytics', { enabled: false }],
  ['feedback', { enabled: false }],
  ['otel', { exporter: 'none', metrics_exporter: 'none', trace_exporter: 'none' }],
  ['history', { persistence: 'none' }],
  ['shell_environment_policy', { inherit: 'all', ignore_default_excludes: true, exclude: [KEY_VARIABLE] }],
  [
    'features',
    {
      // The first three would ask servers of their vendor for more of themselves.
      plugins: false,
      remote_plugin: false,
      apps: false,
      shell_snapshot: false,
      // Else a session without a gateway waits for ever.
      unbounded_connection_retries: false,
    },
  ],
]

// Nobody can be asked, so a call that needs approval would fail.
function serverTable({ name, config, cwd }: FilledServer): string {
  const { command, args, env, url, headers } = config
  const own = typeof command === 'string' ? { command, args, env, cwd } : { url, http_headers: headers }
  return tomlTable(['mcp_servers', name], { ...own, default_tools_approval_mode: 'approve' })
}
