import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import type { Conversation } from '../../recordings/conversation.ts'
import type { FirstRequest, HandOver } from '../first-turn/first-turn.ts'
import type { JudgeShare, LeaseGrant, LeaseNews, LeaseRequest, MeterReading } from '../leases/lease.ts'

/** A run's permission to use the gateway, as its worker holds it. */
export interface AcquiredLease {
  readonly grant: LeaseGrant
  /** Aborts when the main process calls the run off or is gone; also once released. */
  readonly signal: AbortSignal
  /** Tells the leader of the engine's process group, so that the tree dies with the worker; `null` once it has exited. */
  reportPid(pid: number | null): Promise<void>
  /** What the gateway has seen so far. */
  meter(): Promise<MeterReading>
  /** What was asked and answered so far, where the source is a recording or makes one. */
  conversation(): Promise<Conversation>
  /** Ends the lease. When it resolves, nothing of the run is alive and the slot is free. */
  release(): Promise<void>
  /** As {@link release}, for a run whose program has exited; returns all that the gateway has seen of it. */
  finish(): Promise<FinishedLease>
  /** Breaks off what it is still answered, because the run is about to be ended: what that would have cost is given back. */
  endAnswers(): Promise<void>
  /** The first request of the run, as soon as it comes; `null` when the lease is over before. */
  firstRequest(): Promise<FirstRequest | null>
  /** Lets a session follow a probe: resolves when there is a slot for it. */
  handOver(next: HandOver): Promise<void>
}

/** What the gateway has seen of a run that is over. */
export interface FinishedLease {
  readonly meter: MeterReading
  readonly conversation: Conversation
  /** Where the first request of a session differs from the probe's before it; `null` where it does not. */
  readonly differs: string | null
}

/**
 * Waits for a slot at the gateway. Waiting is not running: start no deadline before this resolves.
 *
 * Rejects with the signal's reason when it aborts first, and with `cancelled` when the main process cancels.
 */
export async function acquireLease(
  controlSocket: string,
  request: LeaseRequest,
  signal: AbortSignal,
): Promise<AcquiredLease> {
  signal.throwIfAborted()
  const address = readAddress(controlSocket)
  const stream = send(address, 'POST', '/leases', request)
  const giveUp = (): void => void stream.destroy()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const over = new AbortController()
    const grant = await waitForGrant(stream, over)
    return hold(address, stream, grant, over.signal)
  } catch (error) {
    stream.destroy()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Has money set aside for the judge of a run that is about to start, until this is disposed of. */
export async function keepJudgeShare(
  controlSocket: string,
  share: JudgeShare,
  signal: AbortSignal,
): Promise<Disposable> {
  signal.throwIfAborted()
  const stream = send(readAddress(controlSocket), 'POST', '/shares', share)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      stream.once('response', resolve).once('error', reject),
    )
    response.on('error', ignoreEnd).resume()
  } catch (error) {
    throw unavailable(error)
  }
  return { [Symbol.dispose]: () => void stream.destroy() }
}

// A gateway that is gone keeps nothing.
function ignoreEnd(): void {}

/** What the main process has prepared under a name; `null` where it has nothing. */
export async function askPrepared(controlSocket: string, name: string, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted()
  const text = await exchange(readAddress(controlSocket), 'GET', `/prepared/${name}`, undefined, [200, 404])
  signal.throwIfAborted()
  return text === '' ? null : JSON.parse(text)
}

/** Reads the stream to its end, but resolves at the grant: what comes later ends the run. */
async function waitForGrant(stream: ClientRequest, over: AbortController): Promise<LeaseGrant> {
  return new Promise((resolve, reject) => {
    const stop = (error: AgentEvalsError): void => {
      reject(error)
      over.abort(error)
    }
    stream.once('error', (error) => stop(unavailable(error)))
    stream.once('response', (response) => {
      if (response.statusCode !== 200) return stop(unavailable(new Error(`It answered ${response.statusCode}.`)))
      response.once('error', (error) => stop(unavailable(error)))
      response.once('close', () => stop(unavailable(new Error('It closed the connection.'))))
      onLines(response, (line) => {
        const news: LeaseNews = JSON.parse(line)
        if ('granted' in news) return resolve(news.granted)
        if ('refused' in news) return stop(new AgentEvalsError(news.refused.code, news.refused.message))
        stop(new AgentEvalsError('cancelled', news.abort))
      })
    })
  })
}

function onLines(response: IncomingMessage, take: (line: string) => void): void {
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}

function hold(address: ControlAddress, stream: ClientRequest, grant: LeaseGrant, signal: AbortSignal): AcquiredLease {
  const path = `/leases/${grant.id}`
  // A lease that was ended from the other side has no meter any more, and that is no fault of the gateway.
  const ask = async (...request: ControlRequest): Promise<string> => {
    try {
      return await exchange(address, ...request)
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  }
  let released: Promise<void> | null = null
  const release = async (): Promise<void> => {
    try {
      // 404: the main process has ended it already.
      await exchange(address, 'DELETE', path, undefined, [204, 404])
    } catch {
      // A gateway that is gone has killed the run or is about to be followed by it.
    } finally {
      stream.destroy()
    }
  }
  const finish = async (): Promise<FinishedLease> => {
    const finished = ask('POST', `${path}/finish`, undefined, [200])
    released ??= finished.then(() => void stream.destroy(), release)
    return JSON.parse(await finished) as FinishedLease
  }
  return {
    grant,
    signal,
    // 404: the lease is over, and what was started too late has been killed.
    reportPid: async (pid) => void (await ask('POST', `${path}/pid`, { pid }, [204, 404])),
    meter: async () => JSON.parse(await ask('GET', `${path}/meter`, undefined, [200])) as MeterReading,
    conversation: async () => JSON.parse(await ask('GET', `${path}/conversation`, undefined, [200])) as Conversation,
    release: () => (released ??= release()),
    finish,
    endAnswers: async () => void (await ask('POST', `${path}/end`, undefined, [204, 404])),
    firstRequest: async () => {
      const text = await exchange(address, 'GET', `${path}/first`, undefined, [200, 404])
      return text === '' ? null : (JSON.parse(text) as FirstRequest)
    },
    handOver: async (next) => void (await ask('POST', `${path}/hand-over`, next, [204])),
  }
}

type ControlRequest = readonly [method: string, path: string, body: object | undefined, expected: readonly number[]]

async function exchange(address: ControlAddress, ...[method, path, body, expected]: ControlRequest): Promise<string> {
  const request = send(address, method, path, body)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      request.once('response', resolve).once('error', reject),
    )
    const chunks: Buffer[] = []
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    if (expected.includes(response.statusCode ?? 0)) return Buffer.concat(chunks).toString('utf8')
    throw new Error(`It answered ${response.statusCode} to ${method} ${path}.`)
  } catch (error) {
    throw unavailable(error)
  }
}

/** One connection for each request: closing it must mean something. */
function send(
  { socket, secret }: ControlAddress,
  method: string,
  path: string,
  body: object | undefined,
): ClientRequest {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const request = httpRequest({ socketPath: socket, method, path, headers, agent: false })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  return request
}

function unavailable(cause: unknown): AgentEvalsError {
  const reason = messageOf(cause)
  return new AgentEvalsError('gateway-unavailable', `The gateway in the main process cannot be reached. ${reason}`, {
    cause,
  })
}

/** Where workers reach the gateway: a socket, and the secret that opens it. One string, so that it travels as JSON. */
interface ControlAddress {
  readonly socket: string
  readonly secret: string
}

export function writeAddress({ socket, secret }: ControlAddress): string {
  return `${socket}#${secret}`
}

export function readAddress(address: string): ControlAddress {
  const cut = address.lastIndexOf('#')
  return { socket: address.slice(0, cut), secret: address.slice(cut + 1) }
}
