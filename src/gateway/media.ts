import { createHash } from 'node:crypto'
import { sumOf } from '../lists.ts'

/** A JSON body in which each large medium, such as an image, is a short text: its beginning and its hash. */
export interface WithoutMedia {
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
  for (let start = bytes.indexOf(QUOTE); start >= 0;) {
    const end = bytes.indexOf(QUOTE, start + 1)
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

const QUOTE = 34
const MIN_LENGTH = 64 * 1024
/** More than a recording holds of a result. */
const HEAD = 4096
const HASH = 64
const MARK = '… sha256:'
