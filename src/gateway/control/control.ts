import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { objectOf, stringOf } from '../../lib/json.ts'
import { EMPTY_CONVERSATION } from '../../recordings/conversation.ts'
import type { HandOver } from '../first-turn/first-turn.ts'
import type { Prepared } from '../first-turn/leaders.ts'
import type { Lease } from '../leases/create-lease.ts'
import type { LeaseRequest } from '../leases/lease.ts'
import type { Leases } from '../leases/leases.ts'
import { onLines, sendLine, type ControlAnswer, type ControlCommand } from './lines.ts'

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
  const connections = new Set<WorkerConnection>()
  let stoppedFor: string | null = null
  const open = (request: LeaseRequest, left: AbortSignal): Promise<Lease> => {
    if (stoppedFor !== null) throw new AgentEvalsError('cancelled', stoppedFor)
    return leases.open(request, left)
  }
  const server = createServer((socket) => {
    const connection = new WorkerConnection(socket, secret, { open, prepared })
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  })
  const cancelAll = (reason: string): void => {
    for (const connection of connections) connection.tell({ abort: reason })
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
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      const timer = setTimeout(() => connections.forEach((connection) => connection.destroy()), FAREWELL_MS)
      for (const connection of connections) void connection.end()
      await closed
      clearTimeout(timer)
    },
  }
}

/** What a worker may take to hear that it is over. */
const FAREWELL_MS = 2000

/** Serves the commands that need no lease yet. */
interface Services {
  readonly open: (request: LeaseRequest, left: AbortSignal) => Promise<Lease>
  readonly prepared: Prepared
}

/** The connection of one worker, which is one lease. */
class WorkerConnection {
  private readonly socket: Socket
  private readonly services: Services
  private readonly left = new AbortController()
  private lease: Lease | null = null
  /** What its lease is asked at the moment. */
  private readonly running = new Set<Promise<void>>()

  constructor(socket: Socket, secret: string, services: Services) {
    this.socket = socket
    this.services = services
    let isWorker = false
    onLines(socket, (line) => {
      if (isWorker) return this.take(line as unknown as ControlCommand)
      isWorker = isSame(stringOf(objectOf(line)['secret']), secret)
      if (!isWorker) socket.destroy()
    })
    // What is wrong with a connection closes it.
    socket.on('error', () => {})
    socket.once('close', () => {
      this.left.abort()
      void this.lease?.close()
    })
  }

  tell(answer: ControlAnswer): void {
    sendLine(this.socket, answer)
  }

  /** Closes the connection once its lease has answered what it is asked. */
  async end(): Promise<void> {
    await Promise.all(this.running)
    this.socket.end()
  }

  destroy(): void {
    this.socket.destroy()
  }

  private take({ id, what, value }: ControlCommand): void {
    const answering = this.answer(what, value).then(
      (answer) => this.tell({ id, value: answer }),
      (error: unknown) => {
        const code = error instanceof AgentEvalsError ? error.code : 'gateway-unavailable'
        this.tell({ id, problem: { code, message: messageOf(error) } })
      },
    )
    if (this.lease === null) return
    this.running.add(answering)
    void answering.then(() => this.running.delete(answering))
  }

  private async answer(what: ControlCommand['what'], value: ControlCommand['value']): Promise<object | null> {
    if (what === 'prepared') return this.services.prepared.find(value as string)
    if (what === 'open') return this.open(value as LeaseRequest)
    if (this.lease === null) throw new Error('It has no lease.')
    return useLease(this.lease, what, value)
  }

  private async open(request: LeaseRequest): Promise<object> {
    const lease = await this.services.open(request, this.left.signal)
    this.lease = lease
    if (this.left.signal.aborted) await lease.close()
    lease.signal.addEventListener('abort', () => void lease.close().then(() => this.end()), { once: true })
    return lease.grant
  }
}

async function useLease(
  lease: Lease,
  what: ControlCommand['what'],
  value: ControlCommand['value'],
): Promise<object | null> {
  const { meter, source, firstTurn } = lease
  const conversation = (): object => source.conversation?.() ?? EMPTY_CONVERSATION
  switch (what) {
    case 'meter':
      return meter.reading()
    case 'conversation':
      return conversation()
    case 'finish': {
      // Everything in one answer: each further question is another wait of the slot for its next run.
      lease.setProcess(null)
      await source.settle?.()
      const seen = {
        meter: meter.reading(),
        conversation: conversation(),
        differs: firstTurn?.difference ?? null,
      }
      await lease.close()
      return seen
    }
    case 'look':
      return (await lease.lookout?.next()) === true ? conversation() : null
    case 'end':
      lease.endAnswers()
      return null
    case 'first':
      return waitForFirst(lease)
    case 'slot':
      await lease.takeSlot()
      return null
    case 'hand-over':
      firstTurn?.handOver(value as HandOver)
      return null
    case 'pid':
      noteProcess(lease, value as number | null)
      return null
    default:
      await lease.close()
      return null
  }
}

// It comes when the session sends it, or never.
async function waitForFirst({ firstTurn, signal }: Lease): Promise<object | null> {
  if (firstTurn === null || signal.aborted) return null
  const over = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }))
  return Promise.race([firstTurn.first(), over])
}

// Killing group 0 or 1 would take the gateway or the whole machine along.
function noteProcess(lease: Lease, pid: number | null): void {
  const isValid = pid === null || (Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid)
  if (!isValid) throw new Error(`${pid} is no process of a run.`)
  lease.setProcess(pid)
}

function isSame(sent: string, secret: string): boolean {
  const [left, right] = [Buffer.from(sent), Buffer.from(secret)]
  return left.length === right.length && timingSafeEqual(left, right)
}
