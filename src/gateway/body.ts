import type { IncomingMessage } from 'node:http'
import { isJsonObject, mapLeaves, objectOf, tryParseJson, type JsonObject, type JsonValue } from '../lib/json.ts'
import { sumOf } from '../lib/lists.ts'
import { sha256 } from '../lib/sha256.ts'
import type { EngineTraffic, ModelRequest } from '../recordings/messages.ts'
import type { Forbidden, Wire } from './wires/wire.ts'

/** Reads a request body completely; `null` when it is larger than {@link MAX_BODY_BYTES}. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return null
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What the Messages API takes. */
export const MAX_BODY_BYTES: number = 32 * 1024 * 1024

/** What the body of a request asks. */
export interface AskedBody {
  readonly modelRequest: ModelRequest
  readonly body: JsonObject
  /** What may not be sent; `null` when all of it may. */
  readonly forbidden: Forbidden | null
  readonly size: RequestSize
}

/** How much a request asks for, in tokens. */
export interface RequestSize {
  /** By the length of its text and the number of its large media. */
  readonly inputTokens: number
  /** The limit of its answer; `null` where it sets none. */
  readonly outputTokens: number | null
  /** Those that the answer may use for thinking. */
  readonly thinkingTokens: number
}

/** What the requests of a lease are read with. */
interface RequestReader {
  readonly wire: Wire
  readonly traffic: readonly EngineTraffic[]
  /** Whether the session may use the network. */
  readonly network: boolean
}

/** Reads the body of a request for a model. */
export async function readAsked(
  request: IncomingMessage,
  path: string,
  { wire, network, traffic }: RequestReader,
): Promise<AskedBody | 'too-large' | 'unreadable'> {
  const sent = await readBody(request)
  if (sent === null) return 'too-large'
  const body = tryParseJson(sent.toString('utf8'))
  if (!isJsonObject(body)) return 'unreadable'
  const media: string[] = []
  const short = mapLeaves(body, (leaf) => {
    if (!isMedium(leaf)) return leaf
    media.push(leaf)
    return leaf.slice(0, HEAD) + MARK + sha256(leaf)
  })
  const modelRequest = wire.readRequest({ path, headers: request.headers, body: short }, traffic)
  if (modelRequest === null) return 'unreadable'
  const textBytes = sent.length - sumOf(media, ({ length }) => length)
  const inputTokens = Math.ceil(textBytes / BYTES_OF_A_TOKEN) + media.length * TOKENS_OF_A_MEDIUM
  return {
    modelRequest,
    body,
    forbidden: wire.findForbidden(body, network),
    size: { inputTokens, ...limitsOf(body, wire.limits) },
  }
}

function limitsOf(body: JsonObject, limits: Wire['limits']): Omit<RequestSize, 'inputTokens'> {
  const asked = limits.map((name) => body[name]).filter(isLimit)
  const thinking = objectOf(body['thinking'])['budget_tokens']
  return {
    outputTokens: asked.length === 0 ? null : Math.max(...asked),
    thinkingTokens: isLimit(thinking) ? thinking : 0,
  }
}

function isLimit(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Of JSON with code and schemas; prose has more. */
const BYTES_OF_A_TOKEN = 3
/** What APIs make of a large image, whatever its bytes. */
const TOKENS_OF_A_MEDIUM = 2000

/** Whether a text of a body is a large medium, such as an image: in Base64, or a `data:` URL. */
function isMedium(leaf: unknown): leaf is string {
  return typeof leaf === 'string' && leaf.length > MIN_LENGTH && /^[\w+/=.:;,-]*$/.test(leaf)
}

const MIN_LENGTH = 64 * 1024
/** How much of a medium is read: more than a recording holds of a result. */
const HEAD = 4096
/** Stands before the hash of a medium, behind its beginning. */
const MARK = '… sha256:'

/** Limits the answer to a request; `null` leaves the limit as it was asked. */
export function limitBody(body: JsonObject, limits: Wire['limits'], most: number | null): JsonObject {
  if (most === null) return body
  const asked = limits.filter((name) => name in body)
  const names = asked.length === 0 ? [limits[0]] : asked
  const limited = names.map((name) => {
    const value = body[name]
    return [name, isLimit(value) ? Math.min(most, value) : most] as const
  })
  return { ...body, ...Object.fromEntries(limited) }
}
