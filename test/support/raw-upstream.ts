import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A request as its bytes came, cut by a parser that knows nothing but `Content-Length`. */
export interface RawRequest {
  /** Number of the connection, from 0. */
  readonly connection: number
  readonly method: string
  readonly target: string
  /** In the order that they came. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

export interface RawAnswer {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** `null` is never given; pieces are written as they come, without a length, and end with the connection. */
  readonly body: string | AsyncIterable<string> | Iterable<string> | null
}

export interface RawUpstream extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly RawRequest[]
  /** What was no request in the strictest reading. */
  readonly violations: readonly string[]
}

/**
 * An API on a bare TCP socket. It reads requests as the strictest of servers would, keeps its connections open, and
 * takes whatever follows the announced length as the next request: what is smuggled shows.
 */
export async function startRawUpstream(
  answer: (request: RawRequest) => RawAnswer | Promise<RawAnswer>,
): Promise<RawUpstream> {
  const requests: RawRequest[] = []
  const violations: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    const connection = connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let pending: Buffer = Buffer.alloc(0)
    let answered = Promise.resolve()
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      for (;;) {
        const cut = cutRequest(pending, connection)
        if (cut === null) return
        pending = cut.rest
        requests.push(cut.request)
        violations.push(...cut.violations)
        answered = answered.then(async () => reply(socket, await answer(cut.request)))
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    violations,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Cut {
  readonly request: RawRequest
  readonly rest: Buffer
  readonly violations: readonly string[]
}

function cutRequest(bytes: Buffer, connection: number): Cut | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const violations: string[] = []
  const start = /^([A-Z]+) (\/[\x21-\x7e]*) HTTP\/1\.1$/.exec(line)
  if (start === null) violations.push(`request line: ${line}`)
  const headers = lines.map((text) => {
    const match = /^([\w!#$%&'*+.^`|~-]+):[ ]?([\x20-\x7e]*)$/.exec(text)
    if (match === null) violations.push(`header: ${text}`)
    return [(match?.[1] ?? text).toLowerCase(), match?.[2] ?? ''] as const
  })
  const valuesOf = (name: string): readonly string[] =>
    headers.flatMap(([other, value]) => (other === name ? [value] : []))
  const lengths = valuesOf('content-length')
  if (valuesOf('transfer-encoding').length > 0) violations.push('transfer-encoding')
  if (lengths.length > 1 || !/^\d+$/.test(lengths[0] ?? '0')) violations.push(`content-length: ${lengths.join()}`)
  if (start?.[1] === 'GET' && lengths.length > 0) violations.push('GET with a length')
  if (start?.[1] === 'POST' && lengths.length === 0) violations.push('POST without a length')
  const bodyEnd = end + 4 + Number(lengths[0] ?? 0)
  if (bytes.length < bodyEnd) return null
  const body = bytes.subarray(end + 4, bodyEnd).toString('utf8')
  const [, method = '', target = ''] = start ?? []
  return { request: { connection, method, target, headers, body }, rest: bytes.subarray(bodyEnd), violations }
}

function writable(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

async function reply(
  socket: Socket,
  { status = 200, type = 'application/json', body, headers }: RawAnswer,
): Promise<void> {
  if (body === null) return
  const isWhole = typeof body === 'string'
  const framing = isWhole ? { 'content-length': `${Buffer.byteLength(body)}` } : { connection: 'close' }
  const fields = Object.entries({ 'content-type': type, ...framing, ...headers })
  socket.write(`HTTP/1.1 ${status} OK\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  if (isWhole) return void socket.write(body)
  for await (const piece of body) {
    if (socket.destroyed) return
    if (!socket.write(piece)) await writable(socket)
  }
  socket.end()
}
