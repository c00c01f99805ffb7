import { z } from 'zod'
import { documentAt, valueAt } from '../lib/documents/document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { validate } from '../lib/documents/validate.ts'
import { objectOf, type JsonObject } from '../lib/json.ts'
import type { Source } from './layouts.ts'
import { findingsOf, joinLoaded, noParts, type Loaded, type McpServer } from './package.ts'
import { readData } from './read-files.ts'

const texts = z.record(z.string(), z.string()).optional()

const TYPES = 'expected "stdio" with a command, or "http" or "sse" with a url'

const localSchema: z.ZodType<JsonObject> = z.strictObject({
  type: z.enum(['stdio'], { error: TYPES }).optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: texts,
  envFile: z.string().optional(),
  cwd: z.string().optional(),
})

const remoteSchema: z.ZodType<JsonObject> = z.strictObject({
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

/** Reads MCP servers one by one, so that a mistake costs only the server it is in. */
export async function loadServers({ path, inline, layout }: Source, fs: TrackedFs): Promise<Loaded<McpServer>> {
  const { document, issues } =
    inline === undefined ? await readData(path, 'servers', fs) : { document: inline, issues: [] }
  if (document === null) return noParts(null, issues)
  const isOwn = layout === 'package'
  // Claude Code reads the whole object where it has no `mcpServers`.
  const key = isOwn ? 'servers' : valueAt(document.value, 'mcpServers') === undefined ? null : 'mcpServers'
  const written = documentAt(document, key === null ? [] : [key])
  const checked = isOwn ? validate(document, fileSchema) : validate(written, z.record(z.string(), z.unknown()))
  const names = checked.value === null ? [] : Object.keys(objectOf(written.value))
  const servers = names.map((name): Loaded<McpServer> => {
    const server = documentAt(written, [name])
    const { value, issues: mistakes } = validate(server, isOwn ? schemaOf(server.value) : nativeSchema)
    return {
      parts: value === null ? [] : [{ name, config: value }],
      findings: findingsOf({ kind: 'mcp', name }, mistakes),
    }
  })
  return joinLoaded([noParts(null, checked.issues), ...servers])
}

function schemaOf(server: unknown): z.ZodType<JsonObject> {
  const type = valueAt(server, 'type')
  const isRemote = valueAt(server, 'url') !== undefined || type === 'http' || type === 'sse'
  return isRemote ? remoteSchema : localSchema
}
