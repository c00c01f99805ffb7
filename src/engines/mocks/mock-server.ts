// Runs inside the sandbox: an MCP server that answers by files. What it imports is bundled into it, so it imports little.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { objectOf, stringOf, tryParseJson, type JsonObject } from '../../lib/json.ts'
import { createAnswers } from './mock-answer.ts'
import { ABORTED, type MockSpec } from './mock-spec.ts'

const [specFile = '', name = ''] = process.argv.slice(2)
const specs = JSON.parse(readFileSync(specFile, 'utf8')) as Readonly<Record<string, MockSpec>>
const found = specs[name]
if (found === undefined) throw new Error(`No MCP server called ${name} is mocked.`)
serve(found)

function serve(spec: MockSpec): void {
  const answer = createAnswers(spec)
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = objectOf(tryParseJson(line))
    // A notification wants no answer.
    if (id === undefined || typeof method !== 'string') return
    const result = respond(spec, method, objectOf(params))
    reply(result === null ? { id, error: { code: -32_601, message: `no method ${method}` } } : { id, result })
  })

  function respond({ server, tools }: MockSpec, method: string, params: JsonObject): object | null {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params['protocolVersion'] ?? '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: `eval-mock/${server}`, version: '1' },
        }
      case 'ping':
        return {}
      case 'tools/list':
        return {
          tools: tools.map((tool) => ({
            name: tool.name,
            description: tool.description,
            inputSchema: { type: 'object', ...tool.inputSchema },
          })),
        }
      case 'tools/call':
        return call(params)
      default:
        return null
    }
  }

  function call(params: JsonObject): object {
    const tool = stringOf(params['name'])
    const input = params['arguments'] ?? {}
    const { verdict, output } = answer(tool, input)
    const text =
      verdict === 'abort' ? `${ABORTED} ${spec.nonce}: ${spec.server}/${tool} — ${output}` : unforgeable(output)
    return { content: [{ type: 'text', text }], ...(verdict === 'ok' ? {} : { isError: true }) }
  }
}

// An answer must not read like the end of the run, or like a server that is gone.
function unforgeable(text: string): string {
  const start = text.trimStart()
  const isForged = start.startsWith(ABORTED) || /^(?:MCP server "|MCP error -32000: Connection closed)/.test(start)
  return isForged ? `| ${start}` : text
}

function reply(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
