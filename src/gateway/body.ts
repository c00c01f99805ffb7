import type { IncomingMessage } from 'node:http'
import { tryParseJson, type JsonValue } from '../json.ts'

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
 * Writes a parsed body anew, so that an API cannot read it in another way than the gateway did, such as a field that is
 * there twice. `null` when it is nested too deeply.
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
  if (text.length > MAX_VALUES && hasTooManyValues(text)) return undefined
  return tryParseJson(text)
}

/** A value takes three bytes of text and many times that in memory. */
function hasTooManyValues(text: string): boolean {
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if ((code === COMMA || code === BRACKET || code === BRACE) && ++values > MAX_VALUES) return true
  }
  return false
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

const [QUOTE, COMMA, BRACKET, BRACE] = [34, 44, 91, 123]
const MAX_VALUES = 500_000
