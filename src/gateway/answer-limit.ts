import { Transform } from 'node:stream'

/** Why an answer was ended. */
export class AnswerTooLarge extends Error {}

/** Ends an answer that is larger, or has a longer line of events, than any answer of a model. */
export function createAnswerLimit(isStream: boolean): Transform {
  let total = 0
  let line = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length
      const end = chunk.lastIndexOf(10)
      line = end < 0 ? line + chunk.length : chunk.length - end - 1
      const problem =
        total > MAX_ANSWER_BYTES
          ? `it is larger than ${MAX_ANSWER_BYTES / MIB} MiB`
          : isStream && line > MAX_LINE_BYTES
            ? `it has a line of more than ${MAX_LINE_BYTES / MIB} MiB`
            : null
      if (problem === null) done(null, chunk)
      else done(new AnswerTooLarge(problem))
    },
  })
}

const MIB = 1024 * 1024
const MAX_ANSWER_BYTES = 48 * MIB
const MAX_LINE_BYTES = 8 * MIB
