import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { responseHeaders } from '../../gateway/headers.ts'
import type { FirstRequest } from '../../gateway/first-request.ts'
import type { LeaseGrant } from '../../gateway/lease.ts'

/** What came back for a first request. */
export interface ProbeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly contentType: string
  readonly bytes: Buffer
  /** Whether it broke off. */
  readonly isCut: boolean
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
  const { bytes, isCut } = await readAll(incoming)
  const { 'content-length': _length, ...kept } = responseHeaders(incoming.headersDistinct, token)
  const contentType = incoming.headers['content-type'] ?? ''
  return { status: incoming.statusCode ?? 502, headers: kept, contentType, bytes, isCut }
}

// The gateway limits how long an answer may be.
async function readAll(incoming: IncomingMessage): Promise<Pick<ProbeReply, 'bytes' | 'isCut'>> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
    return { bytes: Buffer.concat(chunks), isCut: false }
  } catch {
    return { bytes: Buffer.concat(chunks), isCut: true }
  }
}
