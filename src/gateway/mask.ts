import { Transform } from 'node:stream'
import { formsOf } from './redact.ts'

/**
 * Replaces a secret, in each of its forms, by as many asterisks in what an API answers, so that lengths stay true. Only
 * bytes that may begin the secret are held back until the next chunk.
 */
export function createMask(secret: string): Transform {
  const needles = formsOf(secret).map((form) => Buffer.from(form, 'latin1'))
  let held: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const whole = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const bytes = needles.reduce(masked, whole)
      const cut = bytes.length - Math.max(0, ...needles.map((needle) => startedAtEnd(bytes, needle)))
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
  for (let length = Math.min(needle.length - 1, bytes.length); length > 0; length -= 1) {
    const start = bytes.length - length
    if (bytes[start] === needle[0] && bytes.subarray(start).equals(needle.subarray(0, length))) return length
  }
  return 0
}

/** Why an answer was ended: it is larger than any of a model. */
export class AnswerTooLarge extends Error {}

/** Ends an answer that is larger than any of a model. */
export function createAnswerLimit(): Transform {
  let total = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length
      if (total <= MAX_ANSWER_BYTES) done(null, chunk)
      else done(new AnswerTooLarge(`it is larger than ${MAX_ANSWER_BYTES / MIB} MiB`))
    },
  })
}

const MIB = 1024 * 1024
const MAX_ANSWER_BYTES = 32 * MIB
