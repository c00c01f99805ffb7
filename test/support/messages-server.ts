import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the model "says" next. */
export interface Turn {
  readonly text?: string
  readonly tools?: readonly { readonly name: string; readonly input: object }[]
  /** Tokens that the answer counts, where it is not streamed. */
  readonly outputTokens?: number
  /** Tokens that its request counts. */
  readonly inputTokens?: number
  /** Refuses instead. */
  readonly error?: { readonly status: number; readonly message: string }
}

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: MessagesBody
  /** Answers that the conversation already holds. */
  readonly index: number
  readonly isSubAgent: boolean
  /** Asked on the side, such as by a prompt hook. */
  readonly isSide: boolean
}

interface MessagesBody {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string }[]
  readonly tools?: readonly { readonly name: string }[]
}

/** A Messages API that says what a script tells it, on a port or a unix socket. */
export interface MessagesServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
}

export async function startMessagesServer(
  script: (request: ReceivedRequest) => Turn,
  socket: string | null = null,
): Promise<MessagesServer> {
  const requests: ReceivedRequest[] = []
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming)
    const request = received(incoming.headers, body)
    requests.push(request)
    const turn = script(request)
    if (turn.error !== undefined) {
      const { status, message } = turn.error
      const error = { type: 'api_error', message }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }))
      return
    }
    const message = answer(request, turn, requests.length)
    if (body.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
      return
    }
    const events = streamOf(message).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''))
  }
  const server = createServer((incoming, response) => void respond(incoming, response))
  await listen(server, socket)
  return {
    url: socket === null ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : 'http://model.invalid',
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(server: Server, socket: string | null): Promise<void> {
  return new Promise((resolve) => {
    if (socket === null) server.listen(0, '127.0.0.1', resolve)
    else server.listen(socket, resolve)
  })
}

async function readBody(incoming: IncomingMessage): Promise<MessagesBody> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as MessagesBody
}

function received(headers: IncomingHttpHeaders, body: MessagesBody): ReceivedRequest {
  return {
    headers,
    body,
    index: body.messages.filter(({ role }) => role === 'assistant').length,
    isSubAgent: headers['x-claude-code-agent-id'] !== undefined,
    isSide: (body.tools ?? []).length === 0,
  }
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

interface Message {
  readonly head: object
  readonly content: readonly Block[]
  readonly stop_reason: string
}

function answer({ body }: ReceivedRequest, turn: Turn, n: number): Message & object {
  const tools = (turn.tools ?? []).map((tool, i) => ({ type: 'tool_use' as const, id: `toolu_${n}_${i}`, ...tool }))
  const head = {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_sequence: null,
    usage: { input_tokens: turn.inputTokens ?? 10, output_tokens: turn.outputTokens ?? 1 },
  }
  const content = [...(turn.text === undefined ? [] : [{ type: 'text' as const, text: turn.text }]), ...tools]
  return { ...head, head, content, stop_reason: tools.length > 0 ? 'tool_use' : 'end_turn' }
}

function streamOf({ head, content, stop_reason }: Message): readonly StreamEvent[] {
  return [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null } },
    ...content.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
      },
      {
        type: 'content_block_delta',
        index,
        delta:
          block.type === 'text'
            ? { type: 'text_delta', text: block.text }
            : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
}
