import { Transform } from 'node:stream'

/**
 * Replaces a secret by as many asterisks, across chunks, so that lengths stay true.
 * Only bytes that may begin the secret are held back until the next chunk.
 */
export function createMask(secret: string): Transform {
  const needle = Buffer.from(secret, 'latin1')
  let held: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = masked(held.length === 0 ? chunk : Buffer.concat([held, chunk]), needle)
      const cut = bytes.length - startedAtEnd(bytes, needle)
      held = bytes.subarray(cut)
      done(null, bytes.subarray(0, cut))
    },
    flush(done) {
      done(null, held)
    },
  })
}

function masked(bytes: Buffer, needle: Buffer): Buffer {
  let at = bytes.indexOf(needle)
  if (at < 0) return bytes
  const copy = Buffer.from(bytes)
  for (; at >= 0; at = copy.indexOf(needle, at + needle.length)) copy.fill('*', at, at + needle.length)
  return copy
}

/** How many bytes at the end are the beginning of the secret. */
function startedAtEnd(bytes: Buffer, needle: Buffer): number {
  for (let length = Math.min(needle.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(needle.subarray(0, length))) return length
  return 0
}
