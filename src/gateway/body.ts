import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isJsonObject, tryParseJson, type JsonValue } from '../lib/json.ts'
import { sumOf } from '../lib/lists.ts'

/** How much a body may take. */
interface BodyLimit {
  readonly maximum: number
  /** Takes room for bytes as they come; `false` when there is none left. */
  readonly grow: (bytes: number) => boolean
}

/** Reads a request body completely; `null` when it is larger than its limit. */
export async function readBody(
  request: IncomingMessage,
  { maximum, grow }: BodyLimit = { maximum: MAX_BODY_BYTES, grow: () => true },
): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > maximum) return null
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maximum || !grow(chunk.length)) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const MAX_BODY_BYTES = 32 * 1024 * 1024

/**
 * Writes a parsed value anew, so that an API cannot read it in another way than the gateway did. `null` when it is nested
 * too deeply.
 */
export function writeJson(value: JsonValue): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

/** Parses JSON; `undefined` when it is none, or when it holds more values than any message of a model. */
export function parseJson(text: string): JsonValue | undefined {
  if (text.length > MAX_VALUES && countMarks(text, MAX_VALUES).values > MAX_VALUES) return undefined
  return tryParseJson(text)
}

/** Whether an object of a text has two values under one key: it is read in one way here and perhaps in another there. */
export function hasDuplicateKey(text: string, parsed: JsonValue): boolean {
  return countMarks(text).colons !== countKeys(parsed)
}

function countKeys(value: JsonValue | undefined): number {
  if (Array.isArray(value)) return sumOf(value as readonly JsonValue[], countKeys)
  if (!isJsonObject(value)) return 0
  return sumOf(Object.values(value), (item) => 1 + countKeys(item))
}

/** Counts the marks between values, up to a number: a value takes three bytes of text and many times that in memory. */
function countMarks(text: string, most = Infinity): { readonly values: number; readonly colons: number } {
  let values = 0
  let colons = 0
  for (let at = 0; at < text.length && values <= most; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA || code === BRACKET || code === BRACE) values += 1
    else if (code === COLON) colons += 1
  }
  return { values, colons }
}

/** Where the string that begins at `start` ends; the end of the text when it does not. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at
    while (text[escapes - 1] === '\\') escapes -= 1
    if ((at - escapes) % 2 === 0) return at
  }
  return text.length
}

const [QUOTE, COMMA, COLON, BRACKET, BRACE] = [34, 44, 58, 91, 123]
const MAX_VALUES = 500_000

/** A JSON body in which each large medium, such as an image, is a short text: its beginning and its hash. */
interface WithoutMedia {
  readonly bytes: Buffer
  /** What was taken out, by hash. */
  readonly media: Media
  /** How often something was taken out. */
  readonly taken: number
}

export type Media = ReadonlyMap<string, Buffer>

/**
 * Takes large media out of the bytes of a JSON body, so that parsing and writing do not copy them several times. A medium
 * is whatever is between two quotes and has characters of Base64 or of a `data:` URL alone, which cannot end a string.
 */
export function takeMedia(bytes: Buffer): WithoutMedia {
  const media = new Map<string, Buffer>()
  const parts: Buffer[] = []
  let at = 0
  let taken = 0
  for (let start = bytes.indexOf(QUOTE_MARK); start >= 0;) {
    const end = bytes.indexOf(QUOTE_MARK, start + 1)
    if (end < 0) break
    // A view of each short text would take longer than the rest of the work.
    const between = end - start - 1 > MIN_LENGTH ? bytes.subarray(start + 1, end) : null
    if (between !== null && isMedium(between)) {
      const hash = createHash('sha256').update(between).digest('hex')
      media.set(hash, between)
      parts.push(bytes.subarray(at, start + 1 + HEAD), Buffer.from(MARK + hash))
      at = end
      taken += 1
    }
    start = end
  }
  return { bytes: parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(at)]), media, taken }
}

/** Writes a text as UTF-8, in pieces, with the media where they were. */
export function putMedia(text: string, media: Media): readonly Buffer[] {
  const parts: Buffer[] = []
  let from = 0
  for (const { at, medium } of marksIn(text, media)) {
    parts.push(Buffer.from(text.slice(from, at - HEAD)), medium)
    from = at + MARK.length + HASH
  }
  return [...parts, Buffer.from(text.slice(from))]
}

/** The length in UTF-8 that a text has with its media. */
export function lengthWithMedia(text: string, media: Media): number {
  return Buffer.byteLength(text) + sumOf(marksIn(text, media), ({ medium }) => medium.length)
}

/** How many media a text has the mark of: as many as were taken out of it, unless it holds a mark of its own. */
export function countMedia(text: string, media: Media): number {
  return marksIn(text, media).length
}

function marksIn(text: string, media: Media): readonly { readonly at: number; readonly medium: Buffer }[] {
  if (media.size === 0) return []
  const found: { readonly at: number; readonly medium: Buffer }[] = []
  for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, at + 1)) {
    const medium = mediumAt(text, at, media)
    if (medium !== null) found.push({ at, medium })
  }
  return found
}

function mediumAt(text: string, at: number, media: Media): Buffer | null {
  if (at < HEAD || !text.startsWith(MARK, at)) return null
  const medium = media.get(text.slice(at + MARK.length, at + MARK.length + HASH)) ?? null
  return medium?.toString('latin1', 0, HEAD) === text.slice(at - HEAD, at) ? medium : null
}

function isMedium(bytes: Buffer): boolean {
  for (const byte of bytes) if (MEDIUM[byte] !== 1) return false
  return true
}

const MEDIUM = new Uint8Array(256)
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.:;,'))
  MEDIUM[byte] = 1

const QUOTE_MARK = 34
const MIN_LENGTH = 64 * 1024
/** More than a recording holds of a result. */
const HEAD = 4096
const HASH = 64
const MARK = '… sha256:'
