import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { JsonValue } from '../json.ts'

/**
 * Packs what a generated module carries into a short text. Vite and Vitest take modules apart letter by letter, which
 * for thousands of cases takes longer than all else.
 */
export function pack(value: unknown): string {
  return deflateRawSync(JSON.stringify(value), { level: 1 }).toString('base64')
}

/** What was packed. */
export function unpack(text: string): JsonValue {
  return JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString('utf8')) as JsonValue
}
