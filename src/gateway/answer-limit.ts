import { Transform } from 'node:stream'

/** Why an answer was ended: it is larger than any of a model, or there was no room for it among the others. */
export class AnswerTooLarge extends Error {
  readonly isAlone: boolean

  constructor(message: string, isAlone: boolean) {
    super(message)
    this.isAlone = isAlone
  }
}

/**
 * Ends an answer that is larger, or has more or longer lines of events, than any answer of a model, or that no longer fits
 * into memory: `grow` takes room for its bytes.
 */
export function createAnswerLimit(isStream: boolean, grow: (bytes: number) => boolean = () => true): Transform {
  const maximum = isStream ? MAX_STREAM_BYTES : MAX_BODY_BYTES
  let total = 0
  let line = 0
  let lines = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length
      const end = chunk.lastIndexOf(10)
      line = end < 0 ? line + chunk.length : chunk.length - end - 1
      if (isStream) lines += countLines(chunk)
      const own =
        total > maximum
          ? `it is larger than ${maximum / MIB} MiB`
          : isStream && line > MAX_LINE_BYTES
            ? `it has a line of more than ${MAX_LINE_BYTES / MIB} MiB`
            : lines > MAX_LINES
              ? `it has more than ${MAX_LINES} lines of events`
              : null
      if (own !== null) done(new AnswerTooLarge(own, true))
      else if (grow(chunk.length)) done(null, chunk)
      else done(new AnswerTooLarge('its session has more open answers than fit into memory', false))
    },
  })
}

function countLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count += 1
  return count
}

const MIB = 1024 * 1024
const MAX_STREAM_BYTES = 20 * MIB
/** Without the frames of events an answer is much shorter. */
const MAX_BODY_BYTES = 16 * MIB
const MAX_LINE_BYTES = 8 * MIB
/** Three of an event; the longest answers have an event of each token. */
const MAX_LINES = 600_000
