import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { itemOfCall } from '../../src/gateway/wires/openai-responses-reader.ts'
import type { JsonObject } from '../../src/lib/json.ts'

/** A part of an answer. */
export type OddBlock =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly call: { readonly name: string; readonly input: object } }
  /** A search that the API itself makes. */
  | { readonly search: string }

/** An answer that is rare and right. */
export interface OddAnswer {
  readonly blocks: readonly OddBlock[]
  /** By default one of its own. */
  readonly id?: string
  /** Tokens that its request counts. */
  readonly inputTokens?: number
  /** The stream breaks off behind the blocks. */
  readonly breaks?: true
}

export interface OddApi extends AsyncDisposable {
  readonly url: string
  readonly bodies: readonly string[]
}

/** Anthropic's and OpenAI's APIs on one port of the loopback, whose models answer as a script has it, block by block. */
export async function startOddApi(script: (body: string) => OddAnswer): Promise<OddApi> {
  const bodies: string[] = []
  const reply = async (path: string, body: string, response: ServerResponse): Promise<void> => {
    const api = path.endsWith('/messages') ? message : path.endsWith('/responses') ? responseOf : null
    if (api === null) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    const answer = script(body)
    const { whole, events } = api(answer, bodies.push(body))
    if (!/"stream":\s*true/.test(body))
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const written = events.map(
      (event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
    )
    if (answer.breaks !== true) return void response.end(written.join(''))
    response.write(written.slice(0, -ENDS).join(''))
    await setTimeout(50)
    response.destroy()
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://api')
    void text(request)
      .then((body) => reply(pathname, body, response))
      .catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ApiEvent {
  readonly type: string
  readonly [field: string]: unknown
}

interface Written {
  readonly whole: object
  /** The last {@link ENDS} end the answer. */
  readonly events: readonly ApiEvent[]
}

const ENDS = 2

function message({ blocks, id, inputTokens = 10 }: OddAnswer, n: number): Written {
  const content = blocks.flatMap((block, index) => messageBlocks(block, `${n}_${index}`))
  const stop = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: inputTokens, output_tokens: 5 }
  const head = { id: id ?? `msg_${n}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', usage }
  return {
    whole: { ...head, content, stop_reason: stop, stop_sequence: null },
    events: [
      { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null } },
      ...content.flatMap((block, index) => blockEvents(block, index)),
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ],
  }
}

function messageBlocks(block: OddBlock, id: string): readonly ApiEvent[] {
  if ('text' in block) return [{ type: 'text', text: block.text }]
  if ('thinking' in block) return [{ type: 'thinking', thinking: block.thinking, signature: 'c2lnbmVk' }]
  if ('call' in block) return [{ type: 'tool_use', id: `toolu_${id}`, ...block.call }]
  const found = { type: 'web_search_result', title: 'A page', url: 'https://a.example/', encrypted_content: 'eA==' }
  return [
    { type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search', input: { query: block.search } },
    { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${id}`, content: [{ ...found, page_age: null }] },
  ]
}

function blockEvents(block: ApiEvent, index: number): readonly ApiEvent[] {
  const { text: words, thinking, signature, input } = block
  const deltas = [
    ...(words === undefined ? [] : [{ type: 'text_delta', text: words }]),
    ...(thinking === undefined
      ? []
      : [
          { type: 'thinking_delta', thinking },
          { type: 'signature_delta', signature },
        ]),
    ...(input === undefined ? [] : [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }]),
  ]
  const empty = {
    ...(words === undefined ? {} : { text: '' }),
    ...(thinking === undefined ? {} : { thinking: '', signature: '' }),
    ...(input === undefined ? {} : { input: {} }),
  }
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...empty } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function responseOf({ blocks, id, inputTokens = 10 }: OddAnswer, n: number): Written {
  const output = blocks.map((block, index) => itemOf(block, `${n}_${index}`))
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + 5,
  }
  const head = { id: id ?? `resp_${n}`, object: 'response', created_at: 1, model: 'gpt-5.5', error: null }
  const whole = { ...head, status: 'completed', incomplete_details: null, output, usage }
  return {
    whole,
    events: [
      { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
      ...output.flatMap((item, index) => [
        { type: 'response.output_item.added', output_index: index, item },
        { type: 'response.output_item.done', output_index: index, item },
      ]),
      { type: 'response.in_progress', response: { ...head, status: 'in_progress', output: [] } },
      { type: 'response.completed', response: whole },
    ],
  }
}

function itemOf(block: OddBlock, id: string): ApiEvent {
  if ('text' in block) {
    const part = { type: 'output_text', text: block.text, annotations: [] }
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [part] }
  }
  if ('thinking' in block)
    return { type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: block.thinking }] }
  if ('call' in block) {
    const { name, input } = block.call
    return itemOfCall({ kind: 'tool-call', id: `call_${id}`, name, input: input as JsonObject }) as ApiEvent
  }
  return {
    type: 'web_search_call',
    id: `ws_${id}`,
    status: 'completed',
    action: { type: 'search', query: block.search },
  }
}
