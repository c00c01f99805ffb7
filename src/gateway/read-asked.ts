import type { IncomingMessage } from 'node:http'
import type { ModelRequest } from '../conversation/model.ts'
import { isJsonObject } from '../json.ts'
import { parseJson, readBody, writeJson } from './body.ts'
import type { Lease } from './leases/create-lease.ts'
import type { OpenRequest } from './leases/load.ts'
import { putMedia, takeMedia } from './media.ts'
import type { Forbidden } from './wires/request-rules.ts'
import { filterFields } from './wires/request-rules.ts'
import { worstCaseOf, type WorstCase } from './budget/worst-case.ts'

/** What the body of a request asks, read and written anew. */
export interface AskedBody {
  readonly asked: ModelRequest
  /** In pieces. */
  readonly body: readonly Buffer[]
  /** Names of the fields that were left out. */
  readonly removed: readonly string[]
  /** What may not be sent; `null` when all of it may. */
  readonly forbidden: Forbidden | null
  /** `null` where no API is asked. */
  readonly worstCase: WorstCase | null
}

/**
 * Reads the body of a request. Nothing that it was read from is kept: each copy of a large body would take its size again
 * for as long as the API takes to answer.
 */
export async function readAsked(
  request: IncomingMessage,
  { wire, access, source, traffic }: Pick<Lease, 'access' | 'source' | 'traffic' | 'wire'>,
  { grow }: Pick<OpenRequest, 'grow'>,
): Promise<AskedBody | 'too-large' | 'unreadable'> {
  const sent = await readBody(request, { maximum: MAX_REQUEST_BYTES, grow })
  if (sent === null) return 'too-large'
  const { bytes, media } = takeMedia(sent)
  if (bytes.length > MAX_TEXT_BYTES || !grow(COPIES * bytes.length)) return 'too-large'
  const value = parseJson(bytes.toString('utf8'))
  if (!isJsonObject(value)) return 'unreadable'
  const { body, removed } = filterFields(value, wire.rules)
  const text = writeJson(body)
  const asked = text === null ? null : wire.readRequest(value, request.headers, traffic)
  if (asked === null || text === null) return 'unreadable'
  const forbidden = wire.rules.findForbidden(value, access)
  const worstCase = source.kind === 'forwards' ? worstCaseOf(value, media) : null
  return { asked, body: putMedia(text, media), removed, forbidden, worstCase }
}

/** The longest requests of engines hold some dozens of images. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024
/** More than any model reads; the rest are images and documents. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024
/** Texts are there again in what is parsed and in what is forwarded. */
const COPIES = 2
