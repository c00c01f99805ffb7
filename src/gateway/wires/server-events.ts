import { createParser } from 'eventsource-parser'
import { isJsonObject } from '../../json.ts'
import type { JsonObject } from '../../json.ts'
import { parseJson } from '../body.ts'

/** Returns a reader of the bytes of an event stream. It passes on the JSON of each event, or `{}` for other data. */
export function createEventReader(take: (event: JsonObject) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: ({ data }) => take(parseObject(data)) })
  return (bytes) => parser.feed(decoder.decode(bytes, { stream: true }))
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
