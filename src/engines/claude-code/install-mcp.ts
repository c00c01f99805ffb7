import type { JsonObject } from '../../json.ts'
import { fillServers, type FilledServer } from '../install/mcp-servers.ts'
import type { InstallRequest } from '../engine.ts'

/** What {@link installMcp} returns: servers as `--mcp-config` takes them. */
export interface InstalledMcp {
  readonly servers: Readonly<Record<string, JsonObject>>
  readonly warnings: readonly string[]
}

/** The package's MCP servers as Claude Code takes them. */
export function installMcp(request: InstallRequest): InstalledMcp {
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
