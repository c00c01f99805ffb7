import { request as httpRequest } from 'node:http'
import type { Agent as HttpAgent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { request as httpsRequest } from 'node:https'
import type { Agent as HttpsAgent } from 'node:https'
import { credentialHeader, type Credential } from '../credentials.ts'
import { buildQuery, pathFor } from '../wires/wire.ts'
import { sumOf } from '../../lib/lists.ts'
import type { Exchange } from './source.ts'

/** Connections of one lease to an API. */
export interface UpstreamAgents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

/** Where a request goes, and with what. */
export interface UpstreamTarget {
  readonly upstream: URL
  readonly credential: Credential
  readonly agents: UpstreamAgents
}

/** A request to an API, its body in pieces. */
export interface UpstreamRequest extends Pick<Exchange, 'headers' | 'query' | 'route' | 'wire'> {
  readonly body: readonly Buffer[] | null
}

/**
 * Asks the API. It may close an idle connection while the next request is on its way, which it has not read then: that
 * request is sent once more.
 */
export async function askUpstream(
  exchange: UpstreamRequest,
  target: UpstreamTarget,
  signal: AbortSignal,
): Promise<IncomingMessage> {
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
])

/** Asks for something free that no session wrote; resolves with the status of the answer. */
export async function askWithoutSession(
  { wire, ownModel }: Pick<Exchange, 'ownModel' | 'wire'>,
  target: UpstreamTarget,
): Promise<number> {
  const route = ['count-tokens', 'list-models'].flatMap(
    (name) => wire.routes.find(({ operation }) => operation === name) ?? [],
  )[0]
  if (route === undefined) return 0
  const body = { model: ownModel, messages: [{ role: 'user', content: 'Hello' }] }
  const request = {
    wire,
    route: { ...route, path: pathFor(route, ownModel) },
    query: '',
    headers: wire.ownHeaders(target.credential.kind),
    body: route.method === 'POST' ? [Buffer.from(JSON.stringify(body))] : null,
  }
  const incoming = await askOnce(request, target, AbortSignal.timeout(PATIENCE_MS))
  incoming.destroy()
  return incoming.statusCode ?? 0
}

const PATIENCE_MS = 10_000

async function askOnce(
  exchange: UpstreamRequest,
  target: UpstreamTarget,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const outgoing = sendUpstream(exchange, target, signal)
  try {
    return await answerTo(outgoing)
  } catch (error) {
    if (!outgoing.reusedSocket || !CLOSED.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return answerTo(sendUpstream(exchange, target, signal))
  }
}

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let provisional = 0
    const give = (code: string): void => {
      const error = Object.assign(new Error(code), { code })
      reject(error)
      outgoing.destroy(error)
    }
    outgoing.once('response', resolve).once('error', reject)
    outgoing.on('information', () => {
      provisional += 1
      if (provisional > MAX_PROVISIONAL) give('it announced its answer without end')
    })
    // Without a listener Node would end the connection, and say nothing.
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy()
      give('it changed the protocol')
    })
  })
}

/** Answers such as 103, which come before the real one. */
const MAX_PROVISIONAL = 10

const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/**
 * Sends a request that is built from parsed parts alone: method and path are the route's, query and headers are those
 * that the lease allows, and the body is written anew with its own length. An engine's bytes never reach the connection.
 */
function sendUpstream(exchange: UpstreamRequest, target: UpstreamTarget, signal: AbortSignal): ClientRequest {
  const { wire, route, body } = exchange
  const { upstream, credential, agents } = target
  const { mount } = wire.api
  const path = route.path.startsWith(mount) ? route.path.slice(mount.length) : route.path
  const url = new URL(upstream.pathname.replace(/(?<!\/)\/+$/, '') + path + buildQuery(route, exchange.query), upstream)
  const options: RequestOptions = {
    method: route.method,
    headers: {
      ...exchange.headers,
      ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': lengthOf(body) }),
      ...credentialHeader(wire.api, credential),
    },
    insecureHTTPParser: false,
    signal,
  }
  const outgoing =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...options, agent: agents.https })
      : httpRequest(url, { ...options, agent: agents.http })
  for (const piece of body ?? []) outgoing.write(piece)
  return outgoing.end()
}

function lengthOf(pieces: readonly Buffer[]): number {
  return sumOf(pieces, ({ length }) => length)
}

/** Reads an error, which is short; what is not is cut. */
export async function readStart(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > LONGEST_ERROR) break
  }
  return Buffer.concat(chunks)
}

const LONGEST_ERROR = 64 * 1024
