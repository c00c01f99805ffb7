import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { responseHeaders } from '../../gateway/headers.ts'
import type { FirstRequest } from '../../gateway/first-turn/first-request.ts'
import type { StoredAnswer } from '../../gateway/first-turn/first-turn.ts'
import type { LeaseGrant } from '../../gateway/leases/lease.ts'
import type { FirstAnswer } from '../../engines/first-turn.ts'

/** What came back for a first request. */
export interface ProbeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly contentType: string
  readonly bytes: Buffer
  /** Whether it broke off. */
  readonly isCut: boolean
  /** Whether it is more than is kept of an answer: none of it is then. */
  readonly isTooLarge: boolean
}

/** Sends a first request to the gateway as its session would; `null` when nothing came back. */
export async function sendProbe(
  { socket, token }: LeaseGrant,
  { path, headers, body }: FirstRequest,
  signal: AbortSignal,
): Promise<ProbeReply | null> {
  const asked = {
    ...headers,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const outgoing = httpRequest({ socketPath: socket, method: 'POST', path, headers: asked, agent: false, signal })
  outgoing.end(body)
  const incoming = await once(outgoing, 'response').then(
    ([response]) => response as IncomingMessage,
    () => null,
  )
  if (incoming === null) return null
  const read = await readAll(incoming)
  const { 'content-length': _length, ...kept } = responseHeaders(incoming.headersDistinct, token)
  const contentType = incoming.headers['content-type'] ?? ''
  return { status: incoming.statusCode ?? 502, headers: kept, contentType, ...read }
}

/** A reply as a session after the probe gets it; `answer` is the same, read. */
export function storeReply(
  { status, headers, bytes, isCut }: ProbeReply,
  answer: Pick<FirstAnswer, 'message'> | null,
): StoredAnswer {
  return { status, headers, isCut, body: bytes.toString('base64'), message: answer?.message ?? null }
}

// The gateway ends what is larger than any answer. Many probes at once keep less.
async function readAll(incoming: IncomingMessage): Promise<Pick<ProbeReply, 'bytes' | 'isCut' | 'isTooLarge'>> {
  let chunks: Buffer[] = []
  let size = 0
  let isCut = false
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= MAX_KEPT_BYTES) chunks.push(chunk)
      else chunks = []
    }
  } catch {
    isCut = true
  }
  return { bytes: Buffer.concat(chunks), isCut, isTooLarge: size > MAX_KEPT_BYTES }
}

/** Some ten thousand words, each as an event of its own. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024
