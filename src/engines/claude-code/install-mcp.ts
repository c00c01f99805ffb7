import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { McpServer } from '../../suites/package.ts'
import type { InstallRequest } from '../engine.ts'

/** What {@link installMcp} returns: servers as `--mcp-config` takes them. */
export interface InstalledMcp {
  readonly servers: Readonly<Record<string, JsonObject>>
  readonly warnings: readonly string[]
}

/**
 * MCP servers with their variables filled in: `${PACKAGE_ROOT}`, `${NAME}` and `${NAME:-default}` from the parent's
 * environment, `${input:id}` from `AGENT_EVALS_INPUT_<ID>`, since nobody can be asked.
 */
export function installMcp(request: InstallRequest): InstalledMcp {
  const warnings: string[] = []
  const servers = request.package.mcpServers.map((server) => {
    const where = `${request.package.mcpFile ?? 'servers.json'}: MCP server "${server.name}"`
    const warn = (text: string): void => void warnings.push(`${where} ${text}`)
    return [server.name, nativeServer(server, request, warn)] as const
  })
  return { servers: Object.fromEntries(servers), warnings }
}

function nativeServer({ config }: McpServer, request: InstallRequest, warn: (text: string) => void): JsonObject {
  const filled = fill(config, request, warn)
  const { envFile, cwd, ...native } = isJsonObject(filled) ? filled : {}
  if (envFile !== undefined) warn('has an envFile, which no session gets; declare the variables under env instead.')
  if (typeof native['url'] === 'string' && !request.network)
    warn('is remote, and the network of this session is closed.')
  return typeof native['command'] === 'string' ? startIn(native, cwd, request.paths.packageRoot) : native
}

// Claude Code starts every server in the workspace, whatever `cwd` says; the format's default is the package.
function startIn(server: JsonObject, cwd: JsonValue | undefined, packageRoot: string): JsonObject {
  const folder = typeof cwd !== 'string' ? packageRoot : cwd.startsWith('/') ? cwd : `${packageRoot}/${cwd}`
  const words = Array.isArray(server['args']) ? server['args'] : []
  return { ...server, command: 'sh', args: ['-c', 'cd "$0" && exec "$@"', folder, server['command'] ?? null, ...words] }
}

function fill(value: JsonValue | undefined, request: InstallRequest, warn: (text: string) => void): JsonValue {
  if (typeof value === 'string') return fillText(value, request, warn)
  if (Array.isArray(value)) return value.map((item: JsonValue) => fill(item, request, warn))
  if (!isJsonObject(value)) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, request, warn)]))
}

function fillText(text: string, { paths, environment }: InstallRequest, warn: (text: string) => void): string {
  return text.replaceAll(
    /\$\{(input:)?([\w.-]+?)(?::-([^}]*))?\}/g,
    (_, input: string | undefined, name: string, fallback: string | undefined) => {
      if (input === undefined && name === 'PACKAGE_ROOT') return paths.packageRoot
      const variable = input === undefined ? name : `AGENT_EVALS_INPUT_${name.toUpperCase().replaceAll(/\W/g, '_')}`
      const found = environment[variable] ?? fallback
      if (found === undefined) warn(`needs ${variable}, which is not set; it is given an empty text.`)
      return found ?? ''
    },
  )
}
