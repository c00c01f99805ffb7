import type { IncomingMessage } from 'node:http'
import { isJsonObject, tryParseJson, type JsonValue } from '../json.ts'
import { sumOf } from '../lists.ts'

/** How much a body may take. */
export interface BodyLimit {
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
