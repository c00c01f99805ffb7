import { dirname } from 'node:path/posix'
import { ownFolders, PAST_PROXIES } from '../install/own-folders.ts'
import type { CommandRequest, GatewayAccess } from '../engine.ts'

/**
 * The variables that Claude Code needs besides those of every session (PATH, LANG). Ours win over the suite's `env`:
 * otherwise a suite could lead the session past the gateway.
 */
export function buildEnvironment({
  env,
  paths,
  confined,
  gateway,
}: Pick<CommandRequest, 'confined' | 'env' | 'gateway' | 'paths'>): Readonly<Record<string, string>> {
  return {
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
