import type { IncomingMessage } from 'node:http'
import { isJsonObject, type JsonObject } from '../lib/json.ts'
import type { ModelRequest } from '../recordings/messages.ts'
import { countMedia, hasDuplicateKey, parseJson, putMedia, readBody, takeMedia, writeJson, type Media } from './body.ts'
import { isLimit, worstCaseOf, type WorstCase } from './budget/worst-case.ts'
import type { Lease } from './leases/create-lease.ts'
import type { OpenRequest } from './leases/leases.ts'
import { filterFields, forbidden, type Forbidden, type Route, type Wire } from './wires/wire.ts'

/** What the body of a request asks, read and written anew. */
export interface AskedBody {
  readonly modelRequest: ModelRequest
  readonly body: WrittenBody
  /** Names of the fields that were left out. */
  readonly removed: readonly string[]
  /** What may not be sent; `null` when all of it may. */
  readonly forbidden: Forbidden | null
  /** `null` where no API is asked. */
  readonly worstCase: WorstCase | null
}

/** A body in pieces, in which the limit of its answer is open. */
export type WrittenBody = readonly (Buffer | AnswerLimit)[]

interface AnswerLimit {
  /** What goes before its value. */
  readonly before: string
  /** `null` where the request sets none. */
  readonly tokens: number | null
}

/** The pieces to send, with no higher limit than `most`; `null` leaves each as it was asked. */
export function limitBody(body: WrittenBody, most: number | null): readonly Buffer[] {
  return body.flatMap((piece) => {
    if (Buffer.isBuffer(piece)) return [piece]
    const value = most === null ? piece.tokens : Math.min(most, piece.tokens ?? most)
    return value === null ? [] : [Buffer.from(`${piece.before}${value}`)]
  })
}

/**
 * Reads the body of a request. Nothing that it was read from is kept: each copy of a large body would take its size again
 * for as long as the API takes to answer.
 */
export async function readAsked(
  request: IncomingMessage,
  { operation, path }: Pick<Route, 'operation' | 'path'>,
  { wire, access, source, traffic }: Pick<Lease, 'access' | 'source' | 'traffic' | 'wire'>,
  { grow }: Pick<OpenRequest, 'grow'>,
): Promise<AskedBody | 'too-large' | 'unreadable'> {
  const sent = await readBody(request, { maximum: MAX_REQUEST_BYTES, grow })
  if (sent === null) return 'too-large'
  const { bytes, media, taken } = takeMedia(sent)
  if (bytes.length > MAX_TEXT_BYTES || !grow(COPIES * bytes.length)) return 'too-large'
  const text = bytes.toString('utf8')
  const value = parseJson(text)
  if (!isJsonObject(value)) return 'unreadable'
  const { body, removed } = filterFields(value, wire.rules)
  const written = writeBody(body, media, operation === 'answer' ? wire.limits : [])
  const modelRequest =
    written === null ? null : wire.readRequest({ path, headers: request.headers, body: value }, traffic)
  if (modelRequest === null || written === null) return 'unreadable'
  const found = findAmbiguous(text, value, { media, taken }) ?? wire.rules.findForbidden(value, access)
  const worstCase = source.kind === 'forwards' ? worstCaseOf(body, wire.limits, media) : null
  return { modelRequest, body: written, removed, forbidden: found, worstCase }
}

/** What an API could read otherwise than the gateway, so that it would cost more than is set aside for it. */
function findAmbiguous(
  text: string,
  value: JsonObject,
  { media, taken }: { readonly media: Media; readonly taken: number },
): Forbidden | null {
  if (hasDuplicateKey(text, value)) return forbidden('an object with the same key twice')
  return media.size === 0 || countMedia(JSON.stringify(value), media) === taken
    ? null
    : forbidden('a mark of a medium that the gateway made')
}

function writeBody(body: JsonObject, media: Media, limits: Wire['limits'] | readonly []): WrittenBody | null {
  const pieces: (Buffer | AnswerLimit)[] = []
  let pending = '{'
  let isLimited = false
  const flush = (): void => void pieces.push(...putMedia(pending, media))
  for (const [name, value] of Object.entries(body)) {
    const before = `${pending === '{' && pieces.length === 0 ? '' : ','}${JSON.stringify(name)}:`
    if (limits.some((limit) => limit === name)) {
      if (!isLimit(value)) continue
      flush()
      pending = ''
      pieces.push({ before, tokens: value })
      isLimited = true
      continue
    }
    const written = writeJson(value ?? null)
    if (written === null) return null
    pending += before + written
  }
  flush()
  const [added] = limits
  if (added !== undefined && !isLimited) pieces.push({ before: `,${JSON.stringify(added)}:`, tokens: null })
  return [...pieces, Buffer.from('}')]
}

/** The longest requests of engines hold some dozens of images. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024
/** More than any model reads; the rest are images and documents. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024
/** Texts are there again in what is parsed and in what is forwarded. */
const COPIES = 2
