import { fillServers, type FilledServer } from '../install/mcp-servers.ts'
import { formatJson, type JsonObject } from '../../json.ts'
import type { InstallRequest, Installation } from '../engine.ts'

/** The package's MCP servers, below the config folder. */
export const MCP_FILE = 'package-mcp-servers.json'

/** The package's MCP servers as `--additional-mcp-config` takes them; no file when there are none. */
export function installMcp(request: InstallRequest): Pick<Installation, 'configFiles' | 'warnings'> {
  const { servers, warnings } = fillServers(request)
  if (servers.length === 0) return { configFiles: [], warnings }
  const mcpServers = Object.fromEntries(servers.map((server) => [server.name, nativeServer(server)]))
  const content = formatJson({ mcpServers })
  return { configFiles: [{ to: MCP_FILE, content, readOnly: true }], warnings }
}

function nativeServer({ config, cwd }: FilledServer): JsonObject {
  return { ...config, ...(typeof config['command'] === 'string' ? { cwd } : {}), tools: ['*'] }
}
