import { connect, type Socket } from 'node:net'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import type { Conversation } from '../../recordings/conversation.ts'
import type { FirstRequest, HandOver } from '../first-turn/first-turn.ts'
import type { LeaseGrant, LeaseRequest, MeterReading } from '../leases/lease.ts'
import { onLines, sendLine, type ControlAnswer, type ControlCommand } from './lines.ts'

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
  /**
   * Lets the requests be answered that were looked at, and waits for the next one that may decide the run: what was asked
   * until then, `null` when the lease is over.
   */
  look(): Promise<Conversation | null>
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
  const connection = new Connection(readAddress(controlSocket))
  const giveUp = (): void => connection.close()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return hold(connection, (await connection.ask('open', request)) as LeaseGrant)
  } catch (error) {
    connection.close()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** What the main process has prepared under a name; `null` where it has nothing. */
export async function askPrepared(controlSocket: string, name: string, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted()
  const connection = new Connection(readAddress(controlSocket))
  try {
    return await connection.ask('prepared', name)
  } finally {
    connection.close()
    signal.throwIfAborted()
  }
}

function hold(connection: Connection, grant: LeaseGrant): AcquiredLease {
  let released: Promise<void> | null = null
  const release = async (): Promise<void> => {
    // A gateway that is gone has killed the run or is about to be followed by it.
    await connection.ask('release').catch(() => {})
    connection.close()
  }
  return {
    grant,
    signal: connection.signal,
    reportPid: async (pid) => void (await connection.ask('pid', pid)),
    meter: async () => (await connection.ask('meter')) as MeterReading,
    conversation: async () => (await connection.ask('conversation')) as Conversation,
    look: async () => (await connection.ask('look')) as Conversation | null,
    release: () => (released ??= release()),
    finish() {
      const finished = connection.ask('finish')
      released ??= finished.then(() => connection.close(), release)
      return finished as Promise<FinishedLease>
    },
    endAnswers: async () => void (await connection.ask('end')),
    firstRequest: async () => (await connection.ask('first')) as FirstRequest | null,
    async handOver(next) {
      // The gateway gets the answer once there is a slot, which may take hours: until then the worker keeps it.
      await connection.ask('slot')
      await connection.ask('hand-over', next)
    },
  }
}

/** A connection to the gateway. A lease lasts for as long as its own is open. */
class Connection {
  private readonly socket: Socket
  private readonly over = new AbortController()
  private readonly asked = new Map<number, Asked>()
  private count = 0

  constructor({ socket, secret }: ControlAddress) {
    this.socket = connect(socket)
    sendLine(this.socket, { secret })
    this.socket.once('error', (error) => this.end(unavailable(error)))
    this.socket.once('close', () => this.end(unavailable(CLOSED)))
    onLines(this.socket, (line) => this.take(line as ControlAnswer))
  }

  /** Aborts when the main process calls the run off, and when the connection is closed. */
  get signal(): AbortSignal {
    return this.over.signal
  }

  ask(what: ControlCommand['what'], value?: ControlCommand['value']): Promise<unknown> {
    if (this.socket.destroyed) return Promise.reject(this.signal.reason ?? unavailable(CLOSED))
    const id = (this.count += 1)
    sendLine(this.socket, { id, what, ...(value === undefined ? {} : { value }) } satisfies ControlCommand)
    return new Promise((resolve, reject) => this.asked.set(id, { what, resolve, reject }))
  }

  close(): void {
    this.socket.destroy()
  }

  private take(line: ControlAnswer): void {
    if ('abort' in line) {
      const error = new AgentEvalsError('cancelled', line.abort)
      this.over.abort(error)
      // A run that is called off is still asked what it came to, and one that waits never starts.
      for (const { what, reject } of this.asked.values()) if (what === 'open') reject(error)
      return
    }
    const asked = this.asked.get(line.id)
    this.asked.delete(line.id)
    if ('problem' in line) asked?.reject(new AgentEvalsError(line.problem.code, line.problem.message))
    else asked?.resolve(line.value)
  }

  private end(error: AgentEvalsError): void {
    this.over.abort(error)
    for (const { reject } of this.asked.values()) reject(this.signal.reason)
    this.asked.clear()
  }
}

const CLOSED = new Error('The connection was closed.')

interface Asked {
  readonly what: ControlCommand['what']
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
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
