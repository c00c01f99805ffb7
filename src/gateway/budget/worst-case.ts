import { isJsonObject, objectOf, objectsOf, stringOf, type JsonObject, type JsonValue } from '../../lib/json.ts'
import type { WireName } from '../leases/lease.ts'
import { lengthWithMedia, type Media } from '../body.ts'
import { sum, sumOf } from '../../lib/lists.ts'
import { contextOf, priceOf, resolveAlias } from './price.ts'

/** What a request may use at most. */
export interface WorstCase {
  readonly inputTokens: number
  /** Whether it has the API keep its input for an hour, which costs more. */
  readonly isKeptLong: boolean
  /** Tokens of an answer; `null` where the request sets no limit. */
  readonly outputTokens: number | null
  /** Those of them that are for thinking alone. */
  readonly thinkingTokens: number
  /** How many answers are asked for. */
  readonly answers: number
}

/** What that costs, in US dollars. */
export interface WorstPrice {
  readonly inputUsd: number
  /** Of one token of the answer. */
  readonly tokenUsd: number
}

/**
 * Estimates the most that a request may use: from the length of what it holds, and from the limit that it sets itself in
 * one of the `limits`, the fields of its wire.
 */
export function worstCaseOf(body: JsonObject, limits: readonly string[], media: Media = new Map()): WorstCase {
  const askedTokens = limits.map((name) => body[name]).filter(isLimit)
  const thinking = objectOf(body['thinking'])['budget_tokens']
  return {
    inputTokens: tokensOf(body, media),
    isKeptLong: isKeptLong(body),
    outputTokens: askedTokens.length === 0 ? null : Math.max(...askedTokens),
    thinkingTokens: isLimit(thinking) ? thinking : 0,
    answers: isLimit(body['n']) ? Math.max(1, body['n']) : 1,
  }
}

/** What a request costs at most; `null` when the model has no known price. No model reads more than its context. */
export function priceAtMost(model: string, worst: WorstCase, wire: WireName, isLong = false): WorstPrice | null {
  const inputTokens = Math.min(worst.inputTokens, contextOf(model, wire, isLong))
  const nothing = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }
  const cacheWriteHourTokens = worst.isKeptLong ? inputTokens : 0
  const read = priceOf(model, { ...nothing, inputTokens }, wire)
  const kept = priceOf(model, { ...nothing, cacheWriteTokens: inputTokens, cacheWriteHourTokens }, wire)
  const answered = priceOf(model, { ...nothing, inputTokens, outputTokens: 1e6 }, wire)
  if (read === null || kept === null || answered === null) return null
  return { inputUsd: Math.max(read, kept), tokenUsd: ((answered - read) / 1e6) * worst.answers }
}

function tokensOf(body: JsonObject, media: Media): number {
  return sumOf(Object.entries(body), ([name, value]) =>
    name === 'messages' || name === 'input' || name === 'system'
      ? contentTokens(value, media) + textTokens(name, media)
      : valueTokens(value, media) + textTokens(name, media),
  )
}

// Only here is a medium one to an API. Whatever a call or a schema holds, it reads as a text.
function contentTokens(content: JsonValue | undefined, media: Media): number {
  if (!Array.isArray(content)) return valueTokens(content, media)
  return sumOf(content as readonly JsonValue[], (part) => {
    if (!isJsonObject(part)) return valueTokens(part, media)
    const medium = mediumOf(part)
    const isCall = CALLS.test(stringOf(part['type']))
    const fields = sumOf(Object.entries(part), ([name, value]) => {
      const isContent = !isCall && (name === 'content' || name === 'output')
      const tokens = isContent ? contentTokens(value, media) : valueTokens(value, media)
      return (
        textTokens(name, media) + (medium !== null && value === medium.holder ? Math.min(tokens, medium.most) : tokens)
      )
    })
    return 1 + fields + (medium?.least ?? 0)
  })
}

const CALLS = /_use$|_call$/

/** The field of a part that holds a medium, and the tokens that it costs: by what it shows, not by its bytes. */
interface Medium {
  readonly holder: JsonValue | undefined
  readonly most: number
  readonly least: number
}

function mediumOf(part: JsonObject): Medium | null {
  const type = stringOf(part['type'])
  const holder = part['source'] ?? part['image_url'] ?? part['file'] ?? part['file_data']
  if (type === 'image' && objectOf(holder)['type'] === 'base64') return { holder, most: MOST_IMAGE, least: 0 }
  if (type === 'image_url' || type === 'input_image') return { holder, most: MOST_IMAGE, least: 0 }
  // A few bytes can be many pages.
  const isDocument = type === 'document' && objectOf(holder)['type'] === 'base64'
  if (isDocument || type === 'file' || type === 'input_file') return { holder, most: Infinity, least: WHOLE_CONTEXT }
  return null
}

function valueTokens(value: JsonValue | undefined, media: Media): number {
  if (typeof value === 'string') return textTokens(value, media)
  if (Array.isArray(value)) return 1 + sum((value as readonly JsonValue[]).map((item) => valueTokens(item, media)))
  if (!isJsonObject(value)) return 1
  return 1 + sumOf(Object.entries(value), ([name, item]) => textTokens(name, media) + valueTokens(item, media))
}

// Hardly any text has more than one token in two bytes.
function textTokens(text: string, media: Media): number {
  return Math.ceil(lengthWithMedia(text, media) / 2)
}

// Everything but the five minutes that are usual counts as an hour.
function isKeptLong({ messages, system, tools, cache_control: ofAll }: JsonObject): boolean {
  const isLong = (block: JsonObject): boolean =>
    !['5m', undefined].includes(objectOf(block['cache_control'])['ttl'] as string | undefined) ||
    objectsOf(block['content']).some(isLong)
  return (
    isLong({ cache_control: ofAll ?? null }) || [messages, system, tools].some((list) => objectsOf(list).some(isLong))
  )
}

/** Whether a value can limit an answer. */
export function isLimit(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** No API makes more tokens of an image. */
const MOST_IMAGE = 20_000
const WHOLE_CONTEXT = Infinity

/** The limit of an answer to a request that sets none: what models with such a context give at most, as far as it is known. */
export function usualOutput(model: string, wire: WireName): number {
  return Math.min(MOST_USUAL, Math.floor(contextOf(model, wire, false) / 8))
}

const MOST_USUAL = 32_000

/** US dollars that a question to a judge usually does not exceed; `null` for an unknown price. */
export function priceOfJudge(model: string, wire: WireName): number | null {
  const question = { inputTokens: 30_000, isKeptLong: false, outputTokens: 5000, thinkingTokens: 0, answers: 1 }
  const price = priceAtMost(resolveAlias(model), question, wire)
  return price === null ? null : price.inputUsd + question.outputTokens * price.tokenUsd
}
