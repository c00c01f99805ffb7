import { z } from 'zod'
import { documentAt, type ReadDocument } from '../documents/document.ts'
import { readDocument } from '../documents/read-document.ts'
import { validate } from '../documents/validate.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { McpServer } from './package.ts'
import { findingsOf, joinLoaded, type Loaded } from './finding.ts'

type ServerFields = Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>> | undefined>>

const texts = z.record(z.string(), z.string()).optional()

const TYPES = 'expected "stdio" with a command, or "http" or "sse" with a url'

const localSchema: z.ZodType<ServerFields> = z.strictObject({
  type: z.enum(['stdio'], { error: TYPES }).optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: texts,
  envFile: z.string().optional(),
  cwd: z.string().optional(),
})

const remoteSchema: z.ZodType<ServerFields> = z.strictObject({
  type: z.enum(['http', 'sse'], { error: TYPES }),
  url: z.string().min(1),
  headers: texts,
})

// Claude Code has more kinds of servers, and more fields.
const nativeSchema: z.ZodType<JsonObject> = z
  .record(z.string(), z.json())
  .refine(({ command, url }) => typeof command === 'string' || typeof url === 'string', 'needs a command or a url')

const fileSchema = z.strictObject({
  servers: z.record(z.string(), z.unknown()),
  inputs: z.array(z.unknown()).optional(),
})

/** Reads servers.json server by server, so that a mistake costs only the server it is in. */
export async function loadMcpServers(file: string, fs: TrackedFs): Promise<Loaded<McpServer>> {
  if (fs.look(file) === null) return { parts: [], findings: [] }
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return { parts: [], findings: findingsOf(null, [issue]) }

  const document = readDocument(text, { kind: 'json', file, what: 'servers' })
  const checked = validate(document, fileSchema)
  const findings = findingsOf(null, checked.issues)
  const names = Object.keys(checked.value?.servers ?? {})
  return joinLoaded([{ parts: [], findings }, ...names.map((name) => loadServer(name, document))])
}

/** Reads servers as Claude Code's `.mcp.json` has them: below `mcpServers`, or as the whole object. */
export function loadNativeServers(document: ReadDocument): Loaded<McpServer> {
  const path = isJsonObject(document.value) && document.value['mcpServers'] !== undefined ? ['mcpServers'] : []
  const written = documentAt(document, path)
  const { value, issues } = validate(written, z.record(z.string(), z.unknown()))
  const servers = Object.keys(value ?? {}).map((name): Loaded<McpServer> => {
    const checked = validate(documentAt(written, [name]), nativeSchema)
    return {
      parts: checked.value === null ? [] : [{ name, config: checked.value }],
      findings: findingsOf({ kind: 'mcp', name }, checked.issues),
    }
  })
  return joinLoaded([{ parts: [], findings: findingsOf(null, issues) }, ...servers])
}

function loadServer(name: string, document: ReadDocument): Loaded<McpServer> {
  const written = documentAt(document, ['servers', name])
  const { type, url } = isJsonObject(written.value) ? written.value : {}
  const isRemote = url !== undefined || type === 'http' || type === 'sse'
  const { value, issues } = validate(written, isRemote ? remoteSchema : localSchema)
  return {
    parts: value === null ? [] : [{ name, config: value }],
    findings: findingsOf({ kind: 'mcp', name }, issues),
  }
}
