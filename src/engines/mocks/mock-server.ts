// Runs inside the sandbox: an MCP server that answers by files. It may import its own modules and Node only.
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { answerCall, type EarlierCall } from './mock-answer.ts'
import { ABORTED, type MockSpec } from './mock-spec.ts'
import type { MockCall } from '../../formats/plugin-eval/model.ts'

type Json = Readonly<Record<string, unknown>>

/** Characters of an input or an answer in the log. */
const MAX_LOGGED = 16_384
/** Calls that a key of a recorded answer depends on. */
const MAX_EARLIER = 40

const [specFile = '', name = ''] = process.argv.slice(2)
const specs = JSON.parse(readFileSync(specFile, 'utf8')) as Readonly<Record<string, MockSpec>>
const found = specs[name]
if (found === undefined) throw new Error(`No MCP server called ${name} is mocked.`)
serve(found)

function serve(spec: MockSpec): void {
  const earlier: EarlierCall[] = []
  let count = 0
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = parse(line)
    const { id, method, params } = message
    // A notification wants no answer.
    if (id === undefined || typeof method !== 'string') return
    const result = respond(spec, method, isObject(params) ? params : {})
    reply(result === null ? { id, error: { code: -32_601, message: `no method ${method}` } } : { id, result })
  })

  function respond({ server, tools }: MockSpec, method: string, params: Json): Json | null {
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

  function call(params: Json): Json {
    const tool = String(params['name'])
    const input = params['arguments'] ?? {}
    const responder = spec.tools.find((one) => one.name === tool)?.responder
    const { verdict, output } =
      responder === undefined
        ? { verdict: 'tool_error' as const, output: `no mock for ${spec.server}/${tool}` }
        : answerCall(responder, { server: spec.server, tool, input, earlier })
    if (responder?.kind === 'agent') {
      earlier.push({ tool, input: cut(JSON.stringify(input), '…'), verdict, output: cut(output, '…') })
      earlier.splice(0, earlier.length - MAX_EARLIER)
    }
    count += 1
    log({
      seq: count,
      server: spec.server,
      tool,
      input: logged(input),
      responder: responder?.kind ?? 'fixed',
      verdict,
      output: cut(output),
    })
    const text =
      verdict === 'abort' ? `${ABORTED} ${spec.nonce}: ${spec.server}/${tool} — ${output}` : unforgeable(output)
    return { content: [{ type: 'text', text }], ...(verdict === 'ok' ? {} : { isError: true }) }
  }

  function log(record: MockCall): void {
    appendFileSync(spec.log, `${JSON.stringify({ nonce: spec.nonce, ...record })}\n`)
  }
}

// An answer must not read like the end of the run, or like a server that is gone.
function unforgeable(text: string): string {
  const start = text.trimStart()
  const isForged = start.startsWith(ABORTED) || /^(?:MCP server "|MCP error -32000: Connection closed)/.test(start)
  return isForged ? `| ${start}` : text
}

function logged(input: unknown): unknown {
  const text = JSON.stringify(input)
  return text.length > MAX_LOGGED ? cut(text) : input
}

function cut(text: string, mark = '…[truncated]'): string {
  return text.length > MAX_LOGGED ? `${text.slice(0, MAX_LOGGED)}${mark}` : text
}

function reply(message: Json): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function parse(line: string): Json {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
