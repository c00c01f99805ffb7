import type { IncomingMessage } from 'node:http'
import type { JsonValue } from '../json.ts'

/** More than any model takes; a client that sends more is not one of ours. */
const MAX_BODY_BYTES = 32 * 1024 * 1024

/** Reads a request body whole; `null` when it is larger than any request of a model. */
export async function readBody(
  request: IncomingMessage,
  grow: (bytes: number) => boolean = () => true,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES || !grow(chunk.length)) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A parsed body, and the bytes of the same JSON written anew. */
export interface ParsedBody {
  readonly value: JsonValue
  readonly written: Buffer
}

/**
 * Parses a body and writes it anew, so that an API cannot read it in another way than the gateway did, such as a field
 * that is there twice. `null` when it is not JSON, or is nested too deeply.
 */
export function parseBody(bytes: Buffer): ParsedBody | null {
  const value = parseJson(bytes.toString('utf8'))
  if (value === undefined) return null
  try {
    return { value, written: Buffer.from(JSON.stringify(value)) }
  } catch {
    return null
  }
}

/** Parses JSON; `undefined` when it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
