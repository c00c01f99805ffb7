import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The APIs of both vendors on one port of the loopback, whose models say one thing after the other. */
export interface ModelApis extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly requests: readonly ApiRequest[]
  /** How many requests came too early. */
  readonly refused: number
}

export interface ApiRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What a model says, or the call that it makes. */
export type ApiTurn = string | { readonly name: string; readonly input: object }

/** How often the APIs may be asked. */
export interface ApiLimit {
  /** Whether one more request comes too early. */
  readonly isTooFast: () => boolean
}

/** Starts them. A conversation that holds n results of tools is answered by turn n, and by the last one after that. */
export async function startModelApis(
  turnsOf: (request: ApiRequest) => readonly ApiTurn[],
  limit: ApiLimit = { isTooFast: () => false },
): Promise<ModelApis> {
  const requests: ApiRequest[] = []
  let refused = 0
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = new URL(request.url ?? '/', 'http://api').pathname
      const asked = { path, headers: request.headers, body }
      requests.push(asked)
      const isMessages = path.endsWith('/messages')
      if (!isMessages && !path.endsWith('/responses')) return response.writeHead(404).end()
      if (limit.isTooFast()) {
        refused += 1
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
        return response.end('{"error":{"type":"rate_limit_error","message":"Too many requests"}}')
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(streamTurn(asked, turnsOf(asked), requests.length))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get refused() {
      return refused
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The events by which the API of a path gives the turn that is next in a conversation; `n` makes its ids. */
export function streamTurn(
  { path, body }: Pick<ApiRequest, 'body' | 'path'>,
  turns: readonly ApiTurn[],
  n: number,
): string {
  const model = /"model":"([^"]+)"/.exec(body)?.[1] ?? 'm'
  const isMessages = path.endsWith('/messages')
  const results = body.match(isMessages ? /"type":"tool_result"/g : /"type":"(?:custom_tool|function)_call_output"/g)
  const turn = turns[Math.min(results?.length ?? 0, turns.length - 1)] ?? ''
  const events = isMessages ? messageEvents(turn, n, model) : responseEvents(turn, n, model)
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

interface ApiEvent {
  readonly type: string
  readonly [field: string]: unknown
}

function messageEvents(turn: ApiTurn, n: number, model: string): readonly ApiEvent[] {
  const isText = typeof turn === 'string'
  const block = isText ? { type: 'text', text: '' } : { type: 'tool_use', id: `toolu_${n}`, name: turn.name, input: {} }
  const delta = isText
    ? { type: 'text_delta', text: turn }
    : { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) }
  const usage = { input_tokens: 10, output_tokens: 1 }
  const message = {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    usage,
  }
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: isText ? 'end_turn' : 'tool_use' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
}

function responseEvents(turn: ApiTurn, n: number, model: string): readonly ApiEvent[] {
  const item =
    typeof turn === 'string'
      ? { type: 'message', id: `msg_${n}`, role: 'assistant', content: [{ type: 'output_text', text: turn }] }
      : { type: 'function_call', call_id: `call_${n}`, name: turn.name, arguments: JSON.stringify(turn.input) }
  const response = { id: `resp_${n}`, model, output: [] }
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ]
}
