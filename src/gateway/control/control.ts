import { timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { isJsonObject, type JsonValue } from '../../lib/json.ts'
import { parseJson, readBody } from '../body.ts'
import { EMPTY_CONVERSATION } from '../../recordings/conversation.ts'
import type { HandOver } from '../first-turn/first-turn.ts'
import type { JudgeShare, LeaseNews, LeaseRequest } from '../leases/lease.ts'
import type { Lease } from '../leases/create-lease.ts'
import type { Leases } from '../leases/leases.ts'
import type { Prepared } from '../first-turn/leaders.ts'
import { closeServer } from './sockets.ts'

/** The side of the gateway that workers talk to. It is never shown to an agent. */
export interface Control {
  readonly server: Server
  /** Tells everyone who waits or runs to stop. */
  readonly cancelAll: (reason: string) => void
  /** As {@link cancelAll}, and tells it to everyone who comes later. */
  readonly stop: (reason: string) => void
  /** As {@link stop}, and listens to no one any more. */
  readonly close: (reason: string) => Promise<void>
}

export function createControl(leases: Leases, prepared: Prepared, secret: string): Control {
  const streams = new Set<ServerResponse>()
  let stoppedFor: string | null = null
  // What a session goes on from is read when there is a slot for it, which may take hours.
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isWorker(request, secret)) return end(response, 401)
    const [, root, id, part, ...rest] = (request.url ?? '').split('/')
    if (root === 'prepared' && request.method === 'GET') {
      const found = await prepared.find(id ?? '')
      return found === null ? end(response, 404) : end(response, 200, found)
    }
    if (root === 'shares' && request.method === 'POST') return keepShare(request, response)
    if (root !== 'leases' || rest.length > 0) return end(response, 404)
    if (id === undefined) return request.method === 'POST' ? grant(request, response) : end(response, 405)
    const lease = leases.byId(id)
    if (lease === undefined) return end(response, 404)
    return useLease(lease, `${request.method ?? ''} ${part ?? ''}`, request, response)
  }

  const keepShare = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    const share = body === null ? undefined : (parseJson(body.toString('utf8')) as JudgeShare | undefined)
    if (share === undefined) return end(response, 400)
    // It is kept for as long as the worker keeps its request open.
    response.once('close', leases.keepShare(share))
    response.writeHead(200).flushHeaders()
  }

  const grant = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    const leaseRequest = body === null ? undefined : parseJson(body.toString('utf8'))
    if (!isLeaseRequest(leaseRequest)) return end(response, 400)
    if (stoppedFor !== null) {
      tell(response, { abort: stoppedFor })
      return void response.end()
    }
    const left = new AbortController()
    streams.add(response)
    response.once('close', () => {
      streams.delete(response)
      left.abort()
    })
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
    await holdLease(leases, leaseRequest, left.signal, (news) => tell(response, news))
    response.end()
  }

  const cancelAll = (reason: string): void => {
    for (const stream of streams) tell(stream, { abort: reason })
  }
  const stop = (reason: string): void => {
    stoppedFor ??= reason
    cancelAll(reason)
  }
  return {
    server,
    cancelAll,
    stop,
    async close(reason) {
      stop(reason)
      for (const stream of streams) stream.end()
      await closeServer(server, FAREWELL_MS)
    },
  }
}

/** What a worker may take to hear that it is over. */
const FAREWELL_MS = 2000

function tell(stream: ServerResponse, news: LeaseNews): void {
  if (!stream.writableEnded) stream.write(`${JSON.stringify(news)}\n`)
}

/** Keeps the lease for as long as the worker keeps its request open. */
async function holdLease(
  leases: Leases,
  request: LeaseRequest,
  left: AbortSignal,
  inform: (news: LeaseNews) => void,
): Promise<void> {
  try {
    const lease = await leases.open(request, left)
    if (left.aborted) return await lease.close()
    inform({ granted: lease.grant })
    const over = AbortSignal.any([left, lease.signal])
    await new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }))
    await lease.close()
  } catch (error) {
    if (left.aborted) return
    const code = error instanceof AgentEvalsError ? error.code : 'gateway-unavailable'
    inform({ refused: { code, message: messageOf(error) } })
  }
}

async function useLease(lease: Lease, what: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (what === 'GET meter') return end(response, 200, { ...lease.meter.reading() })
  if (what === 'GET conversation')
    return end(response, 200, { ...(lease.source.conversation?.() ?? EMPTY_CONVERSATION) })
  // Everything in one answer: each further question is another wait of the slot for its next run.
  if (what === 'POST finish') {
    lease.setProcess(null)
    const { meter, source, firstTurn } = lease
    const conversation = source.conversation?.() ?? EMPTY_CONVERSATION
    const seen = { meter: meter.reading(), conversation, differs: firstTurn?.difference ?? null }
    await lease.close()
    return end(response, 200, seen)
  }
  if (what === 'POST end') {
    lease.endAnswers()
    return end(response, 204)
  }
  if (what === 'GET first') return sendFirst(lease, response)
  if (what === 'POST hand-over') return handOver(lease, request, response)
  if (what === 'DELETE ') {
    await lease.close()
    return end(response, 204)
  }
  if (what !== 'POST pid') return end(response, 404)
  const body = await readBody(request)
  const sent = body === null ? undefined : parseJson(body.toString('utf8'))
  const pid = isJsonObject(sent) ? sent['pid'] : undefined
  // Killing group 0 or 1 would take the gateway or the whole machine along.
  const valid = pid === null || (typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid)
  if (!valid) return end(response, 400)
  lease.setProcess(pid)
  end(response, 204)
}

// It comes when the session sends it, or never.
async function sendFirst({ firstTurn, signal }: Lease, response: ServerResponse): Promise<void> {
  if (firstTurn === null) return end(response, 404)
  const over = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }))
  const request = await Promise.race([firstTurn.first(), over])
  return request === null ? end(response, 404) : end(response, 200, request)
}

async function handOver(lease: Lease, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (lease.firstTurn === null) return end(response, 400)
  const handedOver = await lease.handOver(async () => {
    const body = await readBody(request)
    return body === null ? undefined : (parseJson(body.toString('utf8')) as HandOver | undefined)
  })
  end(response, handedOver === undefined ? 400 : 204)
}

function isWorker(request: IncomingMessage, secret: string): boolean {
  const sent = Buffer.from(request.headers.authorization ?? '')
  const expected = Buffer.from(`Bearer ${secret}`)
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

function isLeaseRequest(value: unknown): value is LeaseRequest {
  const body = value as JsonValue | undefined
  if (!isJsonObject(body) || !isJsonObject(body['source'])) return false
  return ['caseId', 'engine', 'wire'].every((name) => typeof body[name] === 'string')
}

function end(response: ServerResponse, status: number, body?: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(body === undefined ? undefined : JSON.stringify(body))
}
