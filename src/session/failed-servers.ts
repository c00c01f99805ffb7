import { serverLog } from '../engines/install.ts'
import { stringOf } from '../lib/json.ts'
import { shorten, toPrintableLine } from '../lib/text.ts'
import { readWorkspaceFile } from '../lib/workspace-file.ts'
import type { McpServer } from '../packages/package.ts'

/** Says why MCP servers did not start, one sentence each by their names, with what they were started by and printed. */
export async function explainFailedServers(
  failed: readonly string[],
  servers: readonly McpServer[],
  hooks: string,
): Promise<Readonly<Record<string, string>>> {
  const sentences = failed.map(async (name) => {
    // The server of a plugin has the plugin's name before its own.
    const own = name.split(':').at(-1) ?? name
    const { command, args, url } = servers.find((server) => server.name === own)?.config ?? {}
    const words = [command ?? url, ...(Array.isArray(args) ? args : [])].map(stringOf).join(' ').trim()
    const read = await readWorkspaceFile(hooks, serverLog(own), MOST_BYTES)
    const printed = read.status === 'read' ? read.bytes.toString('utf8').trim().slice(-MOST_SHOWN) : ''
    const started = words === '' ? '' : ` (${shorten(words, LONGEST_COMMAND)})`
    const said = printed === '' ? '.' : `: ${printed}`
    return [name, toPrintableLine(`The MCP server "${name}"${started} did not start${said}`)] as const
  })
  return Object.fromEntries(await Promise.all(sentences))
}

const MOST_BYTES = 1_048_576
const MOST_SHOWN = 500
const LONGEST_COMMAND = 80
