import { folderVariables } from '../../packages/root-variables.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { InstallRequest } from '../engine.ts'

/** A server whose variables are filled in, without what no session gets. */
export interface FilledServer {
  readonly name: string
  readonly config: JsonObject
  /** Absolute path as the session sees it; the format's default is the package. */
  readonly cwd: string
}

/** What {@link fillServers} returns. */
export interface FilledServers {
  readonly servers: readonly FilledServer[]
  readonly warnings: readonly string[]
}

/**
 * MCP servers with their variables filled in: `${PACKAGE_ROOT}`, `${NAME}` and `${NAME:-default}` from the parent's
 * environment, `${input:id}` from `AGENT_EVALS_INPUT_<ID>`, since no user can be asked.
 */
export function fillServers(request: InstallRequest): FilledServers {
  const warnings: string[] = []
  const servers = request.package.mcpServers.map(({ name, config }) => {
    const where = `${request.package.mcpFile ?? 'servers.json'}: MCP server "${name}"`
    const warn = (text: string): void => void warnings.push(`${where} ${text}`)
    const filled = fill(config, request, warn)
    const { envFile, cwd, ...rest } = isJsonObject(filled) ? filled : {}
    if (envFile !== undefined)
      warn('has an envFile, which sessions cannot read; declare the variables under env instead.')
    if (typeof rest['url'] === 'string' && !request.network)
      warn('is remote, and the network of this session is closed.')
    return { name, config: rest, cwd: folderOf(cwd, defaultFolder(request)) }
  })
  return { servers, warnings }
}

// Claude Code starts the servers of its own layouts where the session is.
function defaultFolder({ package: { layout }, paths }: InstallRequest): string {
  return layout === undefined ? paths.packageRoot : paths.workspace
}

function folderOf(cwd: JsonValue | undefined, base: string): string {
  if (typeof cwd !== 'string') return base
  return cwd.startsWith('/') ? cwd : `${base}/${cwd}`
}

function fill(value: JsonValue | undefined, request: InstallRequest, warn: (text: string) => void): JsonValue {
  if (typeof value === 'string') return fillText(value, request, warn)
  if (Array.isArray(value)) return value.map((item: JsonValue) => fill(item, request, warn))
  if (!isJsonObject(value)) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, request, warn)]))
}

function fillText(text: string, { paths, environment }: InstallRequest, warn: (text: string) => void): string {
  const folders = folderVariables(paths)
  return text.replaceAll(
    /\$\{(input:)?([\w.-]+?)(?::-([^}]*))?\}/g,
    (_, input: string | undefined, name: string, fallback: string | undefined) => {
      const folder = input === undefined ? folders[name] : undefined
      if (folder !== undefined) return folder
      const variable = input === undefined ? name : `AGENT_EVALS_INPUT_${name.toUpperCase().replaceAll(/\W/g, '_')}`
      const found = environment[variable] ?? fallback
      if (found === undefined) warn(`needs ${variable}, which is not set, so it is empty.`)
      return found ?? ''
    },
  )
}
