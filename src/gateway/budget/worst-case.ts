import { isJsonObject } from '../../json.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { WireName } from '../leases/lease.ts'
import { lengthWithMedia, type Media } from '../media.ts'
import { priceOf } from './price.ts'

/** Tokens that a request may use at most. */
export interface WorstCase {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Estimates the most that a request may use: from the length of what it holds, and from the limit that it sets itself. */
export function worstCaseOf(body: JsonValue, media: Media = new Map()): WorstCase {
  const {
    max_tokens: max,
    max_completion_tokens: completion,
    max_output_tokens: output,
    n,
  } = isJsonObject(body) ? body : {}
  const limit = [max, completion, output].find((value) => isCount(value)) ?? USUAL_OUTPUT
  const inputTokens = Math.min(MOST_INPUT, tokensOf(body, media))
  return { inputTokens, outputTokens: Number(limit) * (isCount(n) ? Number(n) : 1) }
}

/** What that costs, in US dollars; `null` when the model has no known price. */
export function priceAtMost(model: string, { inputTokens, outputTokens }: WorstCase, wire: WireName): number | null {
  const nothing = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens }
  const prices = [
    priceOf(model, { ...nothing, inputTokens }, wire),
    priceOf(model, { ...nothing, cacheWriteTokens: inputTokens }, wire),
  ]
  return prices.includes(null) ? null : Math.max(...prices.map(Number))
}

function tokensOf(value: JsonValue, media: Media): number {
  if (typeof value === 'string') return value.startsWith('data:') ? mediaTokens(value, media) : textTokens(value, media)
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensOf(item, media), 1)
  if (isJsonObject(value)) return isMedia(value) ? mediaTokens(value['data'], media) : fieldTokens(value, media)
  return 1
}

function fieldTokens(value: JsonObject, media: Media): number {
  return Object.entries(value).reduce(
    (sum, [name, item]) => sum + textTokens(name, media) + tokensOf(item ?? null, media),
    1,
  )
}

// Hardly any text has more than one token in two bytes.
function textTokens(text: string, media: Media): number {
  return Math.ceil(lengthWithMedia(text, media) / 2)
}

/** An image or a document costs by its size on a screen or its pages, not by its bytes. */
function mediaTokens(data: string, media: Media): number {
  return Math.min(textTokens(data, media), MOST_MEDIA)
}

function isMedia(value: JsonObject): value is JsonObject & { readonly data: string } {
  return value['type'] === 'base64' && typeof value['data'] === 'string'
}

function isCount(value: JsonValue | undefined): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 1
}

/** No model reads more. */
const MOST_INPUT = 1_000_000
const MOST_MEDIA = 100_000
/** Taken for the limit of a request that sets none. */
const USUAL_OUTPUT = 32_000
