import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { credentialHeader } from '../credentials.ts'
import type { Credential } from '../credentials.ts'
import { requestHeaders, responseHeaders } from '../headers.ts'
import { createMask } from '../mask.ts'
import type { AnswerObserver, ObservedAnswer } from '../wires/wire.ts'
import { describeRefusal } from './refusal.ts'
import type { Exchange, Source } from './source.ts'

/** Connections to upstreams, kept open between requests. */
export interface UpstreamAgents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

export function createUpstreamAgents(): UpstreamAgents {
  return { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
}

/** Passes requests on to the real API with the real credential, byte for byte, and meters what comes back. */
export function createLiveSource(upstream: URL, credential: Credential, agents: UpstreamAgents): Source {
  return { kind: 'forwards', forward: (exchange) => forward(exchange, upstream, credential, agents) }
}

async function forward(
  exchange: Exchange,
  upstream: URL,
  credential: Credential,
  agents: UpstreamAgents,
): Promise<void> {
  const { response, signal } = exchange
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    const outgoing = send(exchange, upstream, credential, agents, AbortSignal.any([signal, gone.signal]))
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    await passBack(exchange, incoming, credential, upstream)
  } catch (error) {
    if (gone.signal.aborted || signal.aborted) return void response.destroy()
    unreachable(exchange, upstream, error)
  }
}

function send(
  { wire, target, body, request }: Exchange,
  upstream: URL,
  credential: Credential,
  agents: UpstreamAgents,
  signal: AbortSignal,
): ClientRequest {
  const { mount } = wire.upstream
  const path = target.startsWith(mount) ? target.slice(mount.length) : target
  const url = new URL(upstream.pathname.replace(/\/+$/, '') + path, upstream)
  const headers: OutgoingHttpHeaders = requestHeaders(request.headers)
  const [name, value] = credentialHeader(wire.name, credential)
  const length = request.method === 'GET' ? {} : { 'content-length': body.length }
  const options = { method: request.method, headers: { ...headers, [name]: value, ...length }, signal }
  const outgoing =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...options, agent: agents.https })
      : httpRequest(url, { ...options, agent: agents.http })
  outgoing.end(body)
  return outgoing
}

async function passBack(
  exchange: Exchange,
  incoming: IncomingMessage,
  credential: Credential,
  upstream: URL,
): Promise<void> {
  const { response, wire } = exchange
  const status = incoming.statusCode ?? 502
  const observer = wire.observe(status, incoming.headers['content-type'] ?? '')
  response.writeHead(status, responseHeaders(incoming.headersDistinct, credential.secret))
  response.flushHeaders()
  const mask = createMask(credential.secret)
  const reader = exchange.hear === undefined ? null : wire.readAnswer(incoming.headers['content-type'] ?? '')
  mask.on('data', (chunk: Buffer) => {
    observer.chunk(chunk)
    reader?.chunk(chunk)
  })
  const whole = await pipeline(incoming, mask, response).then(
    () => true,
    () => false,
  )
  const seen = finish(observer, incoming)
  if (exchange.operation !== 'answer') return
  // An engine that hangs up has not been refused anything.
  if (!whole && !incoming.errored) return exchange.meter.spent(seen.usage)
  measure(exchange, status, seen, upstream)
  const answer = status === 200 ? (reader?.end() ?? null) : null
  if (answer !== null) exchange.hear?.(answer)
}

/** What cannot be read is unknown, not wrong. */
function finish(observer: AnswerObserver, incoming: IncomingMessage): ObservedAnswer {
  const coding = incoming.headers['content-encoding'] ?? 'identity'
  return coding === 'identity' ? observer.end() : { model: null, usage: null, failure: null, complete: true }
}

function measure({ meter, lane }: Exchange, status: number, seen: ObservedAnswer, upstream: URL): void {
  if (status === 200 && seen.failure === null && seen.complete) return meter.answered(lane, seen)
  // What is refused at once costs nothing; what breaks off has cost nobody knows what.
  if (status === 200 || seen.usage !== null) meter.spent(seen.usage)
  const said = seen.failure?.message ?? (status === 200 ? 'the answer broke off' : '')
  const kind = seen.failure?.type === undefined || seen.failure.type === '' ? '' : `${seen.failure.type}: `
  const { problem, final } = describeRefusal(status, `${kind}${said}`, `The API at ${upstream.host}`, true)
  meter.failed(lane, problem, final)
}

function unreachable({ wire, response, meter, lane, operation }: Exchange, upstream: URL, error: unknown): void {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed'
  const message = `The API at ${upstream.host} cannot be reached (${reason}). Check the network and ${wire.upstream.variable}.`
  if (operation === 'answer') meter.failed(lane, { code: 'upstream-failed', message }, false)
  if (response.headersSent) return void response.destroy()
  const answer = wire.writeFailure({ status: 502, type: null, message, retryAfter: null, retry: null })
  response.writeHead(answer.status, answer.headers).end(answer.body)
}
