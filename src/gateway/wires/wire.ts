import { shorten } from '../../lib/text.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { objectOf, tryParseJson, type JsonObject, type JsonValue } from '../../lib/json.ts'
import type { EngineTraffic, ModelAnswer, ModelFailure, ModelRequest } from '../../recordings/messages.ts'
import type { PaidUsage } from '../budget/price.ts'
import type { AskModel } from '../clients/model-call.ts'
import type { CredentialKind } from '../leases/lease.ts'
import type { ModelApi } from './apis.ts'
import { createParser } from 'eventsource-parser'

/** How engines of one kind talk to a model. Everything that knows an API's JSON is behind this; a new one is a line in wires.ts. */
export interface Wire {
  readonly name: string
  readonly api: ModelApi
  /** What engines may send. */
  readonly routes: readonly Route[]
  /** Headers of a request that the gateway makes by itself. */
  ownHeaders(credential: CredentialKind): Readonly<Record<string, string>>
  /**
   * The first thing in a request by which the API would reach something for the session; `null` when there is none. Web
   * tools that run at the API are part of the `network` of a session.
   */
  findForbidden(body: JsonObject, network: boolean): Forbidden | null
  /** Fields that limit the tokens of an answer; the first is added to a request that has none. */
  readonly limits: readonly [string, ...string[]]
  /** Reads a request; `null` when it is not one. */
  readRequest(sent: SentRequest, traffic: readonly EngineTraffic[]): ModelRequest | null
  writeAnswer(answer: ModelAnswer, stream: boolean): WireResponse
  writeFailure(failure: ModelFailure): WireResponse
  /** Answers a token count without a model: nothing is known, nothing is invented. */
  writeTokenCount(): WireResponse
  /** Reads an answer that passes by. */
  readAnswer(status: number, contentType: string): AnswerReader
  /** Asks one question over it, without an engine. */
  readonly ask: AskModel
}

/** A request as it came. */
export interface SentRequest {
  /** Without its query; some APIs name the model there. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: JsonValue
}

/** What may be asked: an answer of a model, its length, or which models there are. The last is passed on only. */
export type WireOperation = 'answer' | 'count-tokens' | 'list-models'

export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Failure of an answer in which the model, or the API for it, declines to say anything. */
export const DECLINED = { type: 'refusal', message: 'the model declined to answer' } as const

/** Takes the bytes of one answer. */
export interface AnswerReader extends ReadAnswer {
  chunk(bytes: Uint8Array): void
}

/** What has come of an answer until now. */
export interface ReadAnswer {
  /** What the meter needs of it. */
  seen(): ObservedAnswer
  /** `null` when it is no whole answer. */
  whole(): ModelAnswer | null
  /** What came of an answer that is not whole. */
  part(): ModelAnswer['content']
}

/** Takes the events of one answer. */
export interface EventReader extends ReadAnswer {
  readonly take: (event: JsonObject) => void
}

export interface ObservedAnswer {
  readonly model: string | null
  readonly usage: PaidUsage | null
  /** The API's own error, in the body or in the stream, or {@link DECLINED}; `null` when there was none. */
  readonly failure: { readonly type: string; readonly message: string } | null
  /** Whether the answer came to its end. */
  readonly complete: boolean
}

/** One operation of an API that engines may ask for. Nothing else is served or forwarded. */
export interface Route {
  readonly operation: WireOperation
  readonly method: 'GET' | 'POST'
  /** With `{model}` where the API has the name of a model. */
  readonly path: string
}

/** Finds the route of a request, with the path that was asked; `null` when the API of the wire has none. */
export function findRoute(routes: readonly Route[], method: string, pathname: string): Route | null {
  const found = routes.find((route) => route.method === method && modelIn(route, pathname) !== null)
  return found === undefined ? null : { ...found, path: pathname }
}

/** The model that a path names; empty where its route has no place for one, `null` for the path of another route. */
export function modelIn({ path }: Pick<Route, 'path'>, pathname: string): string | null {
  const [before = '', after] = path.split(MODEL, 2)
  if (after === undefined) return path === pathname ? '' : null
  const model = pathname.slice(before.length, pathname.length - after.length)
  return pathname === before + model + after && /^[\w.-]{1,200}$/.test(model) ? model : null
}

/** The path of a route for this model. */
export function pathFor({ path }: Pick<Route, 'path'>, model: string): string {
  return path.replace(MODEL, () => encodeURIComponent(model))
}

const MODEL = '{model}'

/** A JSON body. */
export function jsonResponse(body: JsonObject, status = 200, headers: WireResponse['headers'] = {}): WireResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** Server-sent events. */
export function eventsResponse(body: string): WireResponse {
  return { status: 200, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }, body }
}

/** Headers by which an API says when to try again, and whether. */
export function retryHeaders(retryAfter: number | null, retry: boolean | null): WireResponse['headers'] {
  return {
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(retry === null ? {} : { 'x-should-retry': String(retry) }),
  }
}

export interface Forbidden {
  /** Behind "The session sent …". */
  readonly what: string
  /** Whether it is a web tool, which an agent may try without being hostile. */
  readonly isWebTool: boolean
}

export function forbidden(what: string, isWebTool = false): Forbidden {
  return { what, isWebTool }
}

/** A field that is there and is neither `null` nor `false`. */
export function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== false
}

/** The name of a field or of a type, short enough for a message. */
export function quoteName(name: string): string {
  return JSON.stringify(shorten(name, 60))
}

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

/** Reads a successful event stream event by event, and every other answer as one JSON object. */
export function readerOf(
  createEvents: () => EventReader,
  ofBody: (body: JsonObject) => Pick<ReadAnswer, 'seen' | 'whole'>,
): Wire['readAnswer'] {
  return (status, contentType) => {
    if (status === 200 && isEventStream(contentType)) {
      const events = createEvents()
      return { ...events, chunk: createEventReader(events.take) }
    }
    const body = createBodyReader()
    return {
      chunk: body.chunk,
      seen: () => ofBody(body.end()).seen(),
      whole: () => ofBody(body.end()).whole(),
      part: () => [],
    }
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
  return objectOf(tryParseJson(text))
}
