import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { apiOfPath, type ApiDialect, type ApiError, type ApiText } from './api-dialects.ts'

/** What an API does with a request. */
export type ApiAnswer =
  | { readonly text: string; readonly afterMs?: number }
  | ApiError
  /** The connection breaks off, the stream just ends, or nothing more comes, in the middle of an answer. */
  | { readonly breaks: 'off' | 'early' | 'never' }
  /** An answer that is none, of status 200. */
  | { readonly garbage: 'stream' | 'page' }
  /** The account has no credit left, in the words of the API. */
  | { readonly isBroke: true }
  /** The model declines, in the way of the API. */
  | { readonly declines: true }
  /** The answer ends at its limit of tokens. */
  | { readonly isCut: true }
  | { readonly hangs: true }

/** A request as a script sees it. */
export interface ApiRequest {
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

export interface FaultyApi extends AsyncDisposable {
  readonly url: string
  /** How many requests came, of any kind. */
  readonly count: () => number
}

/** Anthropic's and OpenAI's APIs on one port of the loopback, with the faults that a script tells. */
export async function startFaultyApi(
  script: (request: ApiRequest) => ApiAnswer,
  /** Status of what asks no model, such as a list of them. */
  others = 404,
): Promise<FaultyApi> {
  let count = 0
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    count += 1
    const body = await text(request)
    const api = apiOfPath(request.url ?? '')
    if (api === null) return void response.writeHead(others, { 'content-type': 'application/json' }).end('{}')
    await give(script({ body, headers: request.headers }), api, /"stream":\s*true/.test(body), response)
  }
  const server = createServer((request, response) => void reply(request, response).catch(() => response.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function give(answer: ApiAnswer, api: ApiDialect, streams: boolean, response: ServerResponse): Promise<void> {
  if ('hangs' in answer) return
  if ('isBroke' in answer) return give(api.noCredit, api, streams, response)
  if ('status' in answer) {
    const headers = answer.retryAfter === undefined ? {} : { 'retry-after': String(answer.retryAfter) }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...headers })
    return void response.end(JSON.stringify(api.error(answer.type, answer.message)))
  }
  if ('garbage' in answer) {
    const isPage = answer.garbage === 'page'
    response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'text/event-stream' })
    return void response.end(
      isPage ? '<html><body>Busy</body></html>' : 'event: %%\ndata: {"type": "mess\n\ndata: 0x\n\n',
    )
  }
  if ('text' in answer && answer.afterMs !== undefined) await setTimeout(answer.afterMs)
  const written = tell(answer, api)
  if (!streams) return giveWhole(JSON.stringify(written.whole), 'breaks' in answer, response)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (!('breaks' in answer)) return void response.end(written.events.join(''))
  response.write(written.events.slice(0, Math.ceil(written.events.length / 2)).join(''))
  await setTimeout(20)
  if (answer.breaks === 'never') return
  if (answer.breaks === 'off') return void response.destroy()
  response.end()
}

function tell(answer: ApiAnswer, api: ApiDialect): ApiText {
  if ('text' in answer) return api.answer(answer.text)
  if ('declines' in answer) return api.refusal()
  return 'isCut' in answer ? api.cut('Half.') : api.answer('Half.')
}

function giveWhole(json: string, breaks: boolean, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(breaks ? json.slice(0, json.length / 2) : json)
}
