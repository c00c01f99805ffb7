import { createHash } from 'node:crypto'

/** SHA-256 of bytes, or of a text in UTF-8, as 64 lower-case hex digits, or the first `digits` of them. */
export function sha256(text: Buffer | string, digits = 64): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}

/** SHA-256 of a value as JSON. */
export function sha256OfJson(value: unknown): string {
  return sha256(JSON.stringify(value))
}
