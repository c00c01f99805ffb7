import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http'
import type { Asked } from '../recordings/conversation.ts'
import { fingerprint, type ModelFailure, type ModelRequest } from '../recordings/messages.ts'
import { MAX_BODY_BYTES, readAsked, type AskedBody } from './body.ts'
import { dummyOf } from './credentials.ts'
import type { FirstRequest, StoredAnswer } from './first-turn/first-turn.ts'
import { NO_LEAD } from './first-turn/leaders.ts'
import { lastToolOf, type Lease } from './leases/create-lease.ts'
import { mayDecide } from './leases/lookout.ts'
import { hideSecret } from './redact.ts'
import { findRoute, type Forbidden, type Wire, type WireOperation, type WireResponse } from './wires/wire.ts'

/**
 * Serves one session: it looks like the API that its engine knows. The dummy credential is asked for all the same, because
 * other users of the machine reach a port.
 */
export function serveModel(server: Server, lease: Lease): void {
  server.maxConnections = MAX_CONNECTIONS
  server.on('request', (request, response) => {
    answer(lease, request, response).catch(() => response.destroy())
  })
}

/** Engines have one for each request that is open, and tools a few. */
const MAX_CONNECTIONS = 64

function isOfSession({ grant }: Lease, { headers }: IncomingMessage): boolean {
  return dummyOf(headers) === grant.token
}

async function answer(lease: Lease, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { source, wire, meter, spending, signal } = lease
  const method = request.method ?? ''
  const target = request.url ?? ''
  const [pathname = ''] = target.split('?', 1)
  if (isProbe(method, pathname)) return void response.writeHead(200).end()

  if (lease.signal.aborted || !isOfSession(lease, request)) {
    meter.refused('a request without its credential')
    return refuse(response, wire, 401, 'This credential does not belong to this session.')
  }
  const route = findRoute(wire.routes, method, pathname)
  const isServed = route !== null && (route.operation !== 'list-models' || source.kind === 'forwards')
  if (!isServed) return refuseUnknown(lease, response, `${method} ${pathname}`)

  const read = route.method === 'GET' ? null : await readAsked(request, pathname, lease)
  if (read === 'too-large') return refuseTooLarge(lease, response)
  if (read === 'unreadable') return refuse(response, wire, 400, 'The request is not one of this API.')

  const { modelRequest, body, forbidden, size } = read ?? NO_BODY
  if (forbidden !== null) return refuseForbidden(lease, response, forbidden)
  if (route.operation === 'count-tokens') meter.counted(modelRequest.model)
  const thread = lease.keyOf(modelRequest.thread)
  const tool = lastToolOf(modelRequest)
  if (tool !== null) lease.noteTool(tool)
  const headers = requestHeaders(request.headers)
  if (lease.firstTurn?.meets === true && route.operation === 'answer' && body !== null) {
    const first = { path: target, headers, body: JSON.stringify(body), thread }
    if (meetFirst(lease, first, { modelRequest, response })) return
  }
  const isAnswered = route.operation === 'answer'
  const listened = isAnswered ? source.listen?.(modelRequest) : undefined
  if (isAnswered && mayDecide(modelRequest)) await lease.lookout?.pass()
  // It was ended for what the request carries.
  if (signal.aborted) return void response.destroy()
  if (source.kind === 'answers')
    return write(response, respond(lease, route.operation, { request: modelRequest, listened, thread }))
  return source.forward({
    wire,
    route,
    thread,
    query: target.slice(pathname.length + 1),
    headers,
    body,
    response,
    meter,
    spending,
    signal,
    ended: lease.ended,
    givesUp: lease.givesUp,
    follow: (over) =>
      isAnswered ? lease.follow(() => ({ path: target, body: JSON.stringify(body) }), over) : Promise.resolve(NO_LEAD),
    model: modelRequest.model,
    size: isAnswered ? size : null,
    onAnswer: (modelAnswer) => listened?.answered(modelAnswer),
    brokeOff: (content) => listened?.brokeOff(content),
  })
}

/** Takes a request of a run whose first turn is looked at; whether it needs no further answer. */
function meetFirst(
  lease: Lease,
  first: FirstRequest,
  { modelRequest, response }: { readonly modelRequest: ModelRequest; readonly response: ServerResponse },
): boolean {
  const met = lease.firstTurn?.meet(first, fingerprint(modelRequest)) ?? { kind: 'pass' }
  if (met.kind === 'hold') lease.signal.addEventListener('abort', () => response.destroy(), { once: true })
  if (met.kind === 'serve') writeStored(response, met.answer, modelRequest.stream)
  // The run is made anew: what this session says counts for nothing.
  if (met.kind === 'differs') write(response, lease.wire.writeFailure(OTHER_REQUEST))
  return met.kind !== 'pass'
}

const OTHER_REQUEST: ModelFailure = {
  status: 403,
  type: null,
  message: 'agent-evals: The request of the session differs from the probe before it.',
  retryAfter: null,
  retry: false,
}

function writeStored(response: ServerResponse, stored: StoredAnswer, stream: boolean): void {
  const { status, headers, body, message, isCut } = stored
  if (message !== null && !stream)
    return void response.writeHead(status, { 'content-type': 'application/json' }).end(message)
  response.writeHead(status, { ...headers } as OutgoingHttpHeaders)
  const bytes = Buffer.from(body, 'base64')
  if (isCut) response.write(bytes, () => response.destroy())
  else response.end(bytes)
}

const NO_BODY = {
  modelRequest: {
    thread: { kind: 'side', name: 'models' },
    model: '',
    stream: false,
    system: [],
    messages: [],
    tools: [],
    offers: [],
  },
  body: null,
  forbidden: null,
  size: null,
} as const satisfies Record<keyof AskedBody, unknown>

interface ServedRequest {
  readonly request: ModelRequest
  readonly listened: Asked | undefined
  readonly thread: string
}

function respond(lease: Lease, operation: WireOperation, { request, listened, thread }: ServedRequest): WireResponse {
  const { wire, source, meter } = lease
  if (operation === 'count-tokens' || source.kind !== 'answers') return wire.writeTokenCount()
  const reply = source.answer(request, listened)
  if (reply.kind === 'answer') {
    const { model, stopReason } = reply.answer
    meter.answered(thread, { model, stopReason })
    const call = reply.answer.content.findLast((block) => block.kind === 'tool-call')
    if (call !== undefined) lease.noteTool(call.name)
    return wire.writeAnswer(reply.answer, request.stream)
  }
  meter.failed(thread, reply.refusal.problem, reply.refusal.final)
  return wire.writeFailure(reply.failure)
}

/** Engines look whether anybody is there before they have a credential to show. */
function isProbe(method: string, path: string): boolean {
  return (method === 'HEAD' || method === 'GET') && (path === '/' || path === '/api/hello')
}

function refuseUnknown(lease: Lease, response: ServerResponse, what: string): void {
  const message = `The gateway does not serve ${what}.`
  lease.meter.refused(what)
  lease.meter.problem({
    code: 'unexpected-request',
    message: `${message} Only model requests of ${lease.wire.name} pass; turn off what made the agent ask for more.`,
  })
  refuse(response, lease.wire, lease.source.kind === 'forwards' ? 403 : 404, message)
}

function refuseTooLarge(lease: Lease, response: ServerResponse): void {
  const what = `a request of more than ${MAX_BODY_BYTES / 1024 ** 2} MiB`
  const message = `The session sent ${what}, which is more than an API takes.`
  lease.meter.refused(what)
  lease.meter.problem({ code: 'unexpected-request', message })
  refuse(response, lease.wire, 413, message)
}

// A web tool is an ordinary thing to try, as a command that the sandbox denies is. Nothing else here is sent by a CLI.
function refuseForbidden(lease: Lease, response: ServerResponse, found: Forbidden): void {
  const advice = found.isWebTool ? ' With `network: true` the agent may use it.' : ''
  const message = `The session sent ${found.what}, which would make the API reach something for it.${advice}`
  lease.meter.refused(found.what)
  if (!found.isWebTool) lease.meter.problem({ code: 'unexpected-request', message })
  refuse(response, lease.wire, 403, message)
}

function refuse(response: ServerResponse, wire: Wire, status: number, message: string): void {
  const failure: ModelFailure = {
    status,
    type: null,
    message: `agent-evals: ${message}`,
    retryAfter: null,
    retry: false,
  }
  write(response, wire.writeFailure(failure))
}

function write(response: ServerResponse, { status, headers, body }: WireResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

/**
 * Headers of an engine's request that go on to the upstream: all but those of its connection, its credential, and those
 * that the gateway writes by itself. An answer that is not compressed can be metered.
 */
export function requestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const hop = hopNames([headers['connection'] ?? ''].flat().join(','))
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !hop.has(name) && !OWN.has(name) ? [[name, value]] : [],
  )
  return { ...Object.fromEntries(kept), 'accept-encoding': 'identity' }
}

const OWN: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'content-length',
  'content-type',
  'expect',
  'host',
  'x-api-key',
])

/** Headers of an upstream's answer that go back to the engine. */
export function responseHeaders(headers: NodeJS.Dict<string | string[]>, secret: string): Record<string, string[]> {
  const hop = hopNames([headers['connection'] ?? ''].flat().join(','))
  const kept = Object.entries(headers).filter(([name]) => !hop.has(name) && name !== 'set-cookie')
  return Object.fromEntries(
    kept.map(([name, values]) => [name, [values ?? []].flat().map((value) => hideSecret(value, secret))]),
  )
}

function hopNames(connection: string | undefined): ReadonlySet<string> {
  const named = (connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  return new Set([...HOP_BY_HOP, ...named])
}

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
