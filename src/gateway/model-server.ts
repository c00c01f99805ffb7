import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fingerprint, type ModelFailure, type ModelRequest } from '../recordings/messages.ts'
import { dummyOf } from './credentials.ts'
import type { FirstRequest, StoredAnswer } from './first-turn/first-turn.ts'
import { NO_LEAD } from './first-turn/leaders.ts'
import { lastToolOf, type Lease } from './leases/create-lease.ts'
import { limitBody, readAsked, type AskedBody } from './read-asked.ts'
import { hideSecret } from './redact.ts'
import { findRoute, quoteName, type Forbidden, type Wire, type WireOperation, type WireResponse } from './wires/wire.ts'

/**
 * Serves one session: it looks like the API that its engine knows. The dummy credential is asked for all the same, because
 * other users of the machine reach a port; a socket `isPrivate`.
 */
export function serveModel(server: Server, lease: Lease, isPrivate: boolean): void {
  const connections = limitConnections(lease, isPrivate)
  server
    .on('connection', (socket) => connections.add(socket))
    .on('request', (request, response) => {
      if (isOfSession(lease, request)) connections.isKnown(request.socket)
      answer(lease, request, response).catch(() => response.destroy())
    })
}

/** Keeps the connections of a session few: each takes a descriptor of the process that all sessions share. */
function limitConnections({ meter }: Lease, isPrivate: boolean) {
  const open = new Set<Socket>()
  const unknown = new Set<Socket>()
  return {
    isKnown: (socket: Socket) => void unknown.delete(socket),
    add(socket: Socket) {
      open.add(socket)
      unknown.add(socket)
      socket.once('close', () => {
        open.delete(socket)
        unknown.delete(socket)
      })
      if (open.size <= MAX_CONNECTIONS) return
      // Who has not shown the credential makes room. On a port that may be somebody else, who must not harm the session.
      const [oldest = socket] = unknown
      oldest.destroy()
      if (isPrivate || oldest === socket) meter.problem(TOO_MANY_CONNECTIONS)
    },
  }
}

/** Engines have one for each request that is open, and tools a few. */
const MAX_CONNECTIONS = 64
const TOO_MANY_CONNECTIONS = {
  code: 'unexpected-request',
  message: `The session had more than ${MAX_CONNECTIONS} connections to the gateway at once, which no engine has.`,
} as const

function isOfSession({ grant }: Lease, { headers }: IncomingMessage): boolean {
  return dummyOf(headers) === grant.token
}

async function answer(lease: Lease, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { source, wire, meter, spending, signal } = lease
  const method = request.method ?? ''
  const target = request.url ?? ''
  const [pathname = ''] = target.split('?', 1)
  const query = target.slice(pathname.length + 1)
  if (isProbe(method, pathname)) return void response.writeHead(200).end()

  if (lease.signal.aborted || !isOfSession(lease, request)) {
    meter.refused('a request without its credential')
    return refuseUnread(request, response, wire, 401, UNKNOWN_CREDENTIAL)
  }
  const route = findRoute(wire.routes, method, pathname)
  const isServed = route !== null && (route.operation !== 'list-models' || source.kind === 'forwards')
  if (!isServed) return refuseUnknown(lease, request, response, `${method} ${pathname}`)
  if (route.method === 'GET' && hasBody(request))
    return refuseUnknown(lease, request, response, `${method} ${pathname} with a body`)

  if (lease.load.isShut()) return refuseUnread(request, response, wire, 413, TOO_LARGE_BEFORE)
  const opened = lease.load.enter()
  if (opened === null)
    return refuseLoad(lease, request, response, 'has more requests open, or sent more before, than any engine')
  response.once('close', () => opened.leave())
  const read = route.method === 'GET' ? null : await readAsked(request, route, lease, opened)
  if (read === 'too-large') return refuseLoad(lease, request, response, 'sent more at once than any engine')
  if (read === 'unreadable') return refuse(response, wire, 400, 'The request is not one of this API.')

  const { modelRequest, body, removed, forbidden, worstCase } = read ?? NO_BODY
  if (forbidden !== null) return refuseForbidden(lease, response, forbidden)
  if (source.kind === 'forwards' && read !== null && !lease.models.allows(modelRequest.model))
    return refuseModel(lease, response, modelRequest.model)
  if (route.operation === 'count-tokens') meter.counted(modelRequest.model)
  const thread = lease.keyOf(modelRequest.thread)
  const tool = lastToolOf(modelRequest)
  if (tool !== null) lease.noteTool(tool)
  const headers = requestHeaders(request.headers, lease.headers)
  meter.removed([
    ...removed.map((name) => `the field ${quoteName(name)}`),
    ...removedHeaders(request.headers, lease.headers).map((name) => `the header ${quoteName(name)}`),
  ])
  if (lease.firstTurn?.meets === true && route.operation === 'answer' && body !== null) {
    const first = { path: target, headers, body: textOf(body), thread }
    if (meetFirst(lease, first, { modelRequest, response })) return
  }
  if (route.operation === 'answer' && (await lease.decided.isEnded(modelRequest, response)))
    return void response.destroy()
  if (source.kind === 'answers') return write(response, respond(lease, route.operation, modelRequest, thread))
  const isAnswered = route.operation === 'answer'
  const listened = isAnswered ? source.listen?.(modelRequest) : undefined
  const parts = { wire, route, thread, query, headers, body, response, meter, spending, signal, ended: lease.ended }
  // Returned, not awaited: what was read from the body need not be kept until the answer has come.
  return source.forward({
    ...parts,
    follow: (over) =>
      isAnswered ? lease.follow(() => ({ path: target, body: textOf(body) }), over) : Promise.resolve(NO_LEAD),
    model: modelRequest.model,
    ownModel: lease.models.own() ?? modelRequest.model,
    worstCase: isAnswered ? worstCase : null,
    grow: opened.grow,
    tooLarge: () => lease.load.shut(),
    onAnswer(modelAnswer) {
      listened?.answered(modelAnswer)
      lease.models.learn(modelAnswer)
    },
    brokeOff: (content) => listened?.brokeOff(content),
  })
}

function textOf(body: AskedBody['body'] | null): string {
  return Buffer.concat(limitBody(body ?? [], null)).toString('utf8')
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

/** A body that a GET request announces could be read as a request of its own further on. */
function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0'
  return headers['transfer-encoding'] !== undefined || Number(length) !== 0
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
  removed: [],
  forbidden: null,
  worstCase: null,
} as const satisfies Record<keyof AskedBody, unknown>

function respond(lease: Lease, operation: WireOperation, request: ModelRequest, thread: string): WireResponse {
  const { wire, source, meter } = lease
  if (operation === 'count-tokens' || source.kind !== 'answers') return wire.writeTokenCount()
  const reply = source.answer(request)
  if (reply.kind === 'answer') {
    const { model, stopReason } = reply.answer
    meter.answered(thread, { model, usage: null, stopReason })
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

function refuseUnknown(lease: Lease, request: IncomingMessage, response: ServerResponse, what: string): void {
  const message = `The gateway does not serve ${what}.`
  lease.meter.refused(what.slice(0, 200))
  lease.meter.problem({
    code: 'unexpected-request',
    message: `${message} Only model requests of ${lease.wire.name} pass; turn off what made the agent ask for more.`,
  })
  refuseUnread(request, response, lease.wire, lease.source.kind === 'forwards' ? 403 : 404, message)
}

function refuseLoad(lease: Lease, request: IncomingMessage, response: ServerResponse, what: string): void {
  const message = `The session ${what}. Its request was refused.`
  lease.meter.refused(`one too many: the session ${what}`)
  lease.meter.problem({ code: 'unexpected-request', message })
  lease.load.shut()
  refuseUnread(request, response, lease.wire, 413, message)
}

/**
 * Refuses a request whose body was not read. A short body is thrown away, so that a client that sends first and reads then
 * gets its answer; the connection of a longer one, or of one that does not come, is closed.
 */
function refuseUnread(request: IncomingMessage, response: ServerResponse, ...refused: Refused): void {
  let taken = 0
  request.on('data', (chunk: Buffer) => {
    taken += chunk.length
    if (taken > MAX_UNREAD_BYTES) request.socket.destroy()
  })
  const patience = setTimeout(() => request.socket.destroy(), MAX_UNREAD_MS).unref()
  request.once('close', () => clearTimeout(patience))
  refuse(response, ...refused)
}

type Refused = readonly [wire: Wire, status: number, message: string]

const UNKNOWN_CREDENTIAL = 'This credential is not the one of this session.'
const MAX_UNREAD_BYTES = 1024 * 1024
const MAX_UNREAD_MS = 2000

const TOO_LARGE_BEFORE = 'An earlier request of this session, or its answer, was too large.'

function refuseModel(lease: Lease, response: ServerResponse, model: string): void {
  const message = `The session asked the model ${JSON.stringify(model.slice(0, 100))}. Only the run's own model and those that its package names may be asked: ${lease.models.list()}.`
  lease.meter.refused(`the model ${quoteName(model)}`)
  lease.meter.problem({ code: 'unexpected-request', message })
  refuse(response, lease.wire, 403, message)
}

// A web tool is an ordinary thing to try, as a command that the sandbox denies is. Nothing else here is sent by a CLI.
function refuseForbidden(lease: Lease, response: ServerResponse, found: Forbidden): void {
  const advice = found.isWebTool ? ' With `network: true` the agent may use it.' : ''
  const message = `The session sent ${found.what}, which would make the API reach something for it.${advice}`
  lease.meter.refused(found.what)
  if (!found.isWebTool) lease.meter.problem({ code: 'unexpected-request', message })
  refuse(response, lease.wire, 403, message)
}

function refuse(response: ServerResponse, ...[wire, status, message]: Refused): void {
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
 * Headers of an engine's request that go on to the upstream: those of its API and of engines. An answer that is not
 * compressed can be metered.
 */
export function requestHeaders(headers: IncomingHttpHeaders, allowed: ReadonlySet<string>): Record<string, string> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    allowed.has(name) && typeof value === 'string' && FORWARDABLE.test(value) ? [[name, value]] : [],
  )
  return { ...Object.fromEntries(kept), 'accept-encoding': 'identity' }
}

/** Names of the headers that an engine adds to those of every request, and that are not forwarded. */
function removedHeaders(headers: IncomingHttpHeaders, allowed: ReadonlySet<string>): readonly string[] {
  return Object.keys(headers).filter((name) => !allowed.has(name) && !OWN.has(name))
}

/** Headers of the connection to the gateway, and those that the gateway writes by itself. */
const OWN: ReadonlySet<string> = new Set([
  'accept-encoding',
  'accept-language',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'sec-fetch-mode',
  'transfer-encoding',
  'x-api-key',
])

/** Headers of an upstream's answer that go back to the engine. */
export function responseHeaders(headers: NodeJS.Dict<string[]>, secret: string): Record<string, string[]> {
  const hop = hopNames(headers['connection']?.join(','))
  const kept = Object.entries(headers).filter(([name]) => !hop.has(name) && name !== 'set-cookie')
  return Object.fromEntries(
    kept.map(([name, values]) => [name, (values ?? []).map((value) => hideSecret(value, secret))]),
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

/** Printable ASCII, of the length that a header of an engine may have. */
const FORWARDABLE = /^[\x20-\x7e]{0,8192}$/
