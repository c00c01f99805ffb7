import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** One answer of a scripted model, in the API's own shape. */
export type ScriptedAnswer =
  | { readonly content: readonly object[]; readonly stop: string }
  /** The input of its one call is not JSON. */
  | { readonly unreadable: string }
  | { readonly status: number; readonly type: string; readonly message: string }
  /** Begins to answer and breaks off. */
  | { readonly cut: true }
  /** Is never given. */
  | { readonly hangs: true }

/** What a model does: its answer by the number of its answers before, and by how often this one was asked for, from 0. */
export type Script = (turn: number, attempt: number) => ScriptedAnswer

/** A Messages API on the loopback that plays a script for each prompt, and counts tokens as an API with a prompt cache. */
export interface ScriptedModel extends AsyncDisposable {
  readonly url: string
  readonly counts: ModelCounts
  /** Bodies of all requests. */
  readonly bodies: readonly string[]
}

/** What was asked of a model. */
export interface ModelCounts {
  answers: number
  failures: number
  uncachedTokens: number
  cachedTokens: number
}

export interface ScriptedModelOptions {
  /** Finds the script of a request by its prompt, or by all that it says. */
  readonly scriptOf: (prompts: readonly string[], messages: string) => Script
  /** Milliseconds until an answer begins, and until it ends. */
  readonly latency?: { readonly begins: number; readonly ends: number }
}

export async function startScriptedModel({ scriptOf, latency }: ScriptedModelOptions): Promise<ScriptedModel> {
  const counts: ModelCounts = { answers: 0, failures: 0, uncachedTokens: 0, cachedTokens: 0 }
  const bodies: string[] = []
  const attempts = new Map<string, number>()
  const cached = new Set<string>()
  const reply = async (body: Body, response: ServerResponse): Promise<void> => {
    const turn = body.messages.filter(({ role }) => role === 'assistant').length + nudgesOf(body)
    const asked = JSON.stringify(body.messages)
    const attempt = attempts.get(asked) ?? 0
    attempts.set(asked, attempt + 1)
    const answer = scriptOf(textsOf(body), asked)(turn, attempt)
    if ('hangs' in answer) return
    const prefix = JSON.stringify([body.tools, body.system])
    // Only what an answer had begun for by now can be read from the cache.
    const isCached = cached.has(prefix)
    await sleep(latency?.begins ?? 0)
    if ('status' in answer) {
      counts.failures += 1
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      const error = { type: answer.type, message: answer.message }
      return void response.end(JSON.stringify({ type: 'error', error }))
    }
    cached.add(prefix)
    const usage = use(body, prefix, isCached)
    if ('cut' in answer) counts.failures += 1
    else counts.answers += 1
    const rest = (latency?.ends ?? 0) - (latency?.begins ?? 0)
    if (body.stream === true) await stream(answer, usage, response, Math.max(0, rest))
    else if ('content' in answer) {
      const message = {
        ...MESSAGE,
        content: answer.content,
        stop_reason: answer.stop,
        usage: { ...usage, output_tokens: 5 },
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
    } else response.destroy()
  }
  const use = ({ messages }: Body, prefix: string, isCached: boolean): object => {
    const size = Math.ceil(prefix.length / 4)
    const rest = Math.ceil(JSON.stringify(messages).length / 4)
    counts.uncachedTokens += rest + (isCached ? 0 : size)
    counts.cachedTokens += isCached ? size : 0
    return {
      input_tokens: rest,
      output_tokens: 1,
      cache_read_input_tokens: isCached ? size : 0,
      cache_creation_input_tokens: isCached ? 0 : size,
    }
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method !== 'POST') return void response.end()
      bodies.push(body)
      return reply(JSON.parse(body) as Body, response).catch(() => response.destroy())
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A call of a tool. */
export function call(id: string, name: string, input: object): object {
  return { type: 'tool_use', id: `toolu_${id}`, name, input }
}

/** An answer of words alone, that ends the turn. */
export function words(content: string): ScriptedAnswer {
  return { content: [{ type: 'text', text: content }], stop: 'end_turn' }
}

/** An answer that calls tools. */
export function calls(...content: readonly object[]): ScriptedAnswer {
  return { content, stop: 'tool_use' }
}

interface Body {
  readonly system?: unknown
  readonly tools?: unknown
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

// Claude Code leaves an answer without text out and asks again, with a text of its own behind the prompt.
function nudgesOf(body: Body): number {
  return textsOf(body).filter((one) => one.startsWith('[Your previous response had no visible output.')).length
}

function textsOf({ messages }: Body): readonly string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'user') return []
    if (typeof content === 'string') return [content]
    const parts = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : []
    return parts.flatMap((part) => (typeof part.text === 'string' ? [part.text.trim()] : []))
  })
}

async function stream(
  answer: Exclude<ScriptedAnswer, { readonly hangs: true } | { readonly status: number }>,
  usage: object,
  response: ServerResponse,
  rest: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send(response, { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null, usage } })
  await sleep(rest)
  if ('cut' in answer) return void response.destroy()
  const content = 'content' in answer ? answer.content : [call('unreadable', answer.unreadable, {})]
  for (const [index, block] of content.entries()) sendBlock(response, index, block as Block, 'unreadable' in answer)
  const stop = 'content' in answer ? answer.stop : 'tool_use'
  send(response, { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 5 } })
  send(response, { type: 'message_stop' })
  response.end()
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly input?: unknown
}

function sendBlock(response: ServerResponse, index: number, block: Block, isBroken: boolean): void {
  const delta = (value: object): void => send(response, { type: 'content_block_delta', index, delta: value })
  const start = {
    ...block,
    ...(block.type === 'text' ? { text: '' } : {}),
    ...(block.type === 'tool_use' ? { input: {} } : {}),
  }
  send(response, {
    type: 'content_block_start',
    index,
    content_block: block.type === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : start,
  })
  if (block.type === 'text') delta({ type: 'text_delta', text: block.text })
  if (block.type === 'thinking') {
    delta({ type: 'thinking_delta', thinking: block.thinking })
    delta({ type: 'signature_delta', signature: block.signature })
  }
  if (block.type === 'tool_use')
    delta({ type: 'input_json_delta', partial_json: isBroken ? '{"skill": "no' : JSON.stringify(block.input) })
  send(response, { type: 'content_block_stop', index })
}

function send(response: ServerResponse, event: { readonly type: string; readonly [name: string]: unknown }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

const MESSAGE = { id: 'msg_scripted', type: 'message', role: 'assistant', model: 'claude-opus-5-5' }
