import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { credentialHeader, type Credential } from '../credentials.ts'
import { pathFor } from '../wires/wire.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { Connections } from './connections.ts'
import type { Exchange } from './source.ts'

/** The answer of an API. */
export interface UpstreamAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

/** Where a request goes, and with what. */
export interface UpstreamTarget {
  readonly upstream: URL
  readonly credential: Credential
  readonly connections: Connections
}

/** A request to an API. */
export interface UpstreamRequest extends Pick<Exchange, 'headers' | 'query' | 'route' | 'wire'> {
  readonly body: JsonObject | null
}

/**
 * Asks the API. It may close an idle connection while the next request is on its way, which it has not read then: that
 * request is sent once more.
 */
export async function askUpstream(
  exchange: UpstreamRequest,
  target: UpstreamTarget,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  for (const wait of WAITS_MS) {
    try {
      return await askOnce(exchange, target, signal)
    } catch (error) {
      if (!isUnreachable(error)) throw error
      await sleep(wait, undefined, { signal })
    }
  }
  return askOnce(exchange, target, signal)
}

/** Before the next attempt at an API that cannot be reached: a network may be away for a moment. */
const WAITS_MS = [500, 1500]

/** Whether nothing was sent, because there is no way to the API. */
export function isUnreachable(error: unknown): boolean {
  return UNREACHABLE.has((error as NodeJS.ErrnoException).code ?? '')
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Asks for something free that no session wrote; resolves with the status of the answer. */
export async function askWithoutSession(
  { wire, model }: Pick<Exchange, 'model' | 'wire'>,
  target: UpstreamTarget,
): Promise<number> {
  const route = ['count-tokens', 'list-models'].flatMap(
    (name) => wire.routes.find(({ operation }) => operation === name) ?? [],
  )[0]
  if (route === undefined) return 0
  const body = { model, messages: [{ role: 'user', content: 'Hello' }] }
  const request = {
    wire,
    route: { ...route, path: pathFor(route, model) },
    query: '',
    headers: wire.ownHeaders(target.credential.kind),
    body: route.method === 'POST' ? body : null,
  }
  const { body: answer, status } = await askOnce(request, target, AbortSignal.timeout(PATIENCE_MS))
  // Nothing is read of it, and its end is no error.
  answer.on('error', () => {}).destroy()
  return status
}

const PATIENCE_MS = 10_000

async function askOnce(
  exchange: UpstreamRequest,
  target: UpstreamTarget,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  try {
    return await sendUpstream(exchange, target, signal)
  } catch (error) {
    if (!isIdleClosed(error)) throw error
    return sendUpstream(exchange, target, signal)
  }
}

/** Tells whether a connection was closed that had carried an answer before. */
function isIdleClosed(error: unknown): boolean {
  const { code, socket } = error as { readonly code?: string; readonly socket?: { readonly bytesRead?: number } }
  return code === 'UND_ERR_SOCKET' && (socket?.bytesRead ?? 0) > 0
}

/**
 * Sends a request that is built from parsed parts alone: method and path are the route's, headers come one by one, and the
 * body is written anew with its own length. An engine's bytes never reach the connection.
 */
async function sendUpstream(
  exchange: UpstreamRequest,
  { upstream, credential, connections }: UpstreamTarget,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  const { wire, route } = exchange
  const { mount } = wire.api
  const path = route.path.startsWith(mount) ? route.path.slice(mount.length) : route.path
  const url = new URL(upstream.pathname.replace(/(?<!\/)\/+$/, '') + path, upstream)
  url.search = exchange.query
  const [{ request }, dispatcher] = await Promise.all([import('undici'), connections.dispatcher()])
  const { statusCode, headers, body } = await request(url, {
    dispatcher,
    method: route.method === 'POST' ? 'POST' : 'GET',
    headers: {
      ...exchange.headers,
      ...(exchange.body === null ? {} : { 'content-type': 'application/json' }),
      ...credentialHeader(wire.api, credential),
    },
    body: exchange.body === null ? null : JSON.stringify(exchange.body),
    signal,
  })
  return { status: statusCode, headers, body }
}

/** Reads an error, which is short; what is not is cut. */
export async function readStart({ body }: UpstreamAnswer): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > LONGEST_ERROR) break
  }
  return Buffer.concat(chunks)
}

const LONGEST_ERROR = 64 * 1024
