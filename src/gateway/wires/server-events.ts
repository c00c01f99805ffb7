import { StringDecoder } from 'node:string_decoder'
import { isJsonObject } from '../../json.ts'
import type { JsonObject } from '../../json.ts'
import { parseJson } from '../body.ts'

/** Takes the bytes of an event stream as they come and hands on the JSON of each event; what is none is an empty object. */
export function createEventReader(take: (event: JsonObject) => void): (bytes: Uint8Array) => void {
  const decoder = new StringDecoder('utf8')
  // Joined only once a line is complete: the time that a long line takes grows with its length alone.
  let pieces: string[] = []
  return (bytes) => {
    const [first = '', ...following] = decoder.write(Buffer.from(bytes)).split('\n')
    pieces.push(first)
    for (const piece of following) {
      const line = pieces.join('')
      pieces = [piece]
      if (line.startsWith('data:')) take(parseObject(line.slice(5)))
    }
  }
}

/** Whether an answer is an event stream. */
export function isEventStream(contentType: string): boolean {
  return contentType.startsWith('text/event-stream')
}

/** The parts of an answer in the order of their indexes. */
export function inOrder<T>(parts: ReadonlyMap<number, T>): readonly T[] {
  return [...parts].toSorted(([left], [right]) => left - right).map(([, part]) => part)
}

/** Takes the bytes of an answer that is one JSON object; `end` reads it. */
export function createBodyReader(): {
  readonly chunk: (bytes: Uint8Array) => void
  readonly end: () => JsonObject
} {
  const chunks: Uint8Array[] = []
  return {
    chunk: (bytes) => void chunks.push(bytes),
    end: () => parseObject(Buffer.concat(chunks).toString('utf8')),
  }
}

/** Parses JSON; an empty object when it is no object. */
export function parseObject(text: string): JsonObject {
  const value = parseJson(text)
  return isJsonObject(value) ? value : {}
}
