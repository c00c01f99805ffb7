import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What the upstream answers to one request; the last answer stays. */
export type UpstreamAnswer =
  /** Streams two texts, the second one after a moment or when it `goesOn`. `cut` breaks the connection off after the first. */
  | { readonly stream: string; readonly rest: string; readonly cut?: boolean; readonly goesOn?: Promise<void> }
  /** Streams a call of a tool, whose answer ends only in a second write. */
  | { readonly tool: string; readonly input: Readonly<Record<string, string>> }
  /** Is never given. */
  | { readonly hangs: true }
  | { readonly text: string }
  | { readonly json: object }
  | { readonly status: number; readonly message: string; readonly headers?: Readonly<Record<string, string>> }

export interface Upstream extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly UpstreamRequest[]
}

export interface UpstreamRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What is answered: one after the other, or to each request's body. */
export type UpstreamAnswers = readonly UpstreamAnswer[] | ((body: string) => Promise<UpstreamAnswer>)

/** A Messages API on the loopback, with nothing in common with the gateway's own sources. */
export async function startUpstream(answers: UpstreamAnswers): Promise<Upstream> {
  const requests: UpstreamRequest[] = []
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
    const answer =
      typeof answers === 'function' ? await answers(body) : answers[Math.min(requests.length, answers.length) - 1]
    if (answer !== undefined) await give(answer, response)
  }
  const server = createServer((request, response) => void reply(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function give(answer: UpstreamAnswer, response: ServerResponse): Promise<void> {
  if ('status' in answer) {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    const type = answer.status === 403 ? 'permission_error' : 'api_error'
    return void response.end(JSON.stringify({ type: 'error', error: { type, message: answer.message } }))
  }
  if ('json' in answer) {
    response.writeHead(200, { 'content-type': 'application/json' })
    return void response.end(JSON.stringify(answer.json))
  }
  if ('text' in answer) {
    response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_1' })
    const content = [{ type: 'text', text: answer.text }]
    return void response.end(
      JSON.stringify({ ...MESSAGE, content, stop_reason: 'end_turn', usage: { ...STARTED, output_tokens: 7 } }),
    )
  }
  if ('hangs' in answer) return
  response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'a=b' })
  if ('tool' in answer) return giveCall(answer, response)
  response.write(events({ type: 'message_start', message: { ...MESSAGE, content: [], usage: STARTED } }))
  response.write(
    events({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, delta(answer.stream)),
  )
  await (answer.goesOn ?? new Promise((resolve) => setTimeout(resolve, 20)))
  if (answer.cut === true) return void response.destroy()
  response.end(
    events(
      delta(answer.rest),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ),
  )
}

async function giveCall(
  { tool, input }: Extract<UpstreamAnswer, { readonly tool: string }>,
  response: ServerResponse,
): Promise<void> {
  const json = { type: 'input_json_delta', partial_json: JSON.stringify(input) }
  response.write(
    events(
      { type: 'message_start', message: { ...MESSAGE, content: [], usage: STARTED } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'toolu_up', name: tool, input: {} },
      },
      { type: 'content_block_delta', index: 0, delta: json },
      { type: 'content_block_stop', index: 0 },
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, 20))
  response.end(
    events(
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ),
  )
}

const MESSAGE = { id: 'msg_up', type: 'message', role: 'assistant', model: 'claude-upstream-1', stop_reason: null }
const STARTED = { input_tokens: 11, output_tokens: 1, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 }

function delta(words: string): object {
  return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } }
}

function events(...list: readonly object[]): string {
  return list
    .map((event) => `event: ${'type' in event ? String(event.type) : ''}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

/** A shell command that prints `reached`, or `no network` with the code of the error. */
export function tryFetch(url: string): string {
  return `node -e "fetch('${url}').then(() => console.log('reached'), (e) => console.log('no network:', e.cause.code))"`
}
