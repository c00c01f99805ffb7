import { createParser } from 'eventsource-parser'
import { isJsonObject, type JsonObject } from '../../lib/json.ts'
import { parseJson } from '../body.ts'
import type { AnswerObserver, ObservedAnswer } from './wire.ts'

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

/** Observes a successful event stream event by event, and every other answer as one JSON object. */
export function observeWith(
  ofEvent: (seen: ObservedAnswer, event: JsonObject) => ObservedAnswer,
  ofBody: (body: JsonObject) => ObservedAnswer,
): (status: number, contentType: string) => AnswerObserver {
  return (status, contentType) => {
    if (status !== 200 || !isEventStream(contentType)) {
      const body = createBodyReader()
      return { chunk: body.chunk, end: () => ofBody(body.end()) }
    }
    let seen: ObservedAnswer = { model: null, usage: null, failure: null, complete: false }
    return { chunk: createEventReader((event) => (seen = ofEvent(seen, event))), end: () => seen }
  }
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
