import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import type { LeaseGrant } from '../../src/gateway/leases/lease.ts'

export interface ModelReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ModelCall {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
  /** Over TCP instead of the socket. */
  readonly tcp?: boolean
}

/** Asks the gateway as an engine does. */
export async function callModel(
  grant: Pick<LeaseGrant, 'socket' | 'port' | 'token'>,
  call: ModelCall = {},
): Promise<ModelReply> {
  const { method = 'POST', path = '/v1/messages', body = sayHello('Hello?'), tcp = false } = call
  const request = httpRequest({
    ...(tcp ? { host: '127.0.0.1', port: grant.port } : { socketPath: grant.socket }),
    method,
    path,
    headers: { 'x-api-key': grant.token, ...call.headers },
    agent: false,
  })
  request.end(method === 'POST' ? (typeof body === 'string' ? body : JSON.stringify(body)) : undefined)
  return new Promise((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      text(response).then(
        (received) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }),
        reject,
      )
    })
  })
}

/** The smallest conversation. */
export function sayHello(words: string, stream = false): object {
  return {
    model: 'claude-opus-5-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: words }],
    ...(stream ? { stream } : {}),
  }
}
