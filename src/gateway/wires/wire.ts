import { shorten } from '../../lib/text.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts'
import type { EngineTraffic, ModelAnswer, ModelFailure, ModelRequest } from '../../recordings/messages.ts'
import type { PaidUsage } from '../budget/price.ts'
import type { AskModel } from '../clients/model-call.ts'
import type { CredentialKind } from '../leases/lease.ts'
import type { ModelApi } from './apis.ts'
import { createParser } from 'eventsource-parser'
import { parseJson } from '../body.ts'

/** How engines of one kind talk to a model. Everything that knows an API's JSON is behind this; a new one is a line in wires.ts. */
export interface Wire {
  readonly name: string
  readonly api: ModelApi
  /** What engines may send. */
  readonly routes: readonly Route[]
  /** Names of the request headers that are forwarded, beside those of engines; all others are left out. */
  readonly headers: readonly string[]
  /** Headers of a request that the gateway makes by itself. */
  ownHeaders(credential: CredentialKind): Readonly<Record<string, string>>
  /** What its requests may hold. */
  readonly rules: RequestRules
  /** Fields that limit the tokens of an answer; the first is added to a request that has none. */
  readonly limits: readonly [string, ...string[]]
  /** Reads a request; `null` when it is not one. */
  readRequest(sent: SentRequest, traffic: readonly EngineTraffic[]): ModelRequest | null
  writeAnswer(answer: ModelAnswer, stream: boolean): WireResponse
  writeFailure(failure: ModelFailure): WireResponse
  /** Answers a token count without a model: nothing is known, nothing is invented. */
  writeTokenCount(): WireResponse
  /** Watches an answer that passes by. */
  observe(status: number, contentType: string): AnswerObserver
  /** Keeps an answer that passes by whole, for a recording. */
  readAnswer(contentType: string): AnswerReader
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

/** Takes the bytes of one answer; keeps only what the meter needs. */
export interface AnswerObserver {
  chunk(bytes: Uint8Array): void
  end(): ObservedAnswer
}

/** Failure of an answer in which the model, or the API for it, declines to say anything. */
export const DECLINED = { type: 'refusal', message: 'the model declined to answer' } as const

/** Takes the bytes of one answer. */
export interface AnswerReader {
  chunk(bytes: Uint8Array): void
  /** `null` when it was no whole answer. */
  end(): ModelAnswer | null
  /** What came of an answer that is not whole. */
  part(): ModelAnswer['content']
}

export interface ObservedAnswer {
  readonly model: string | null
  readonly usage: PaidUsage | null
  /** The API's own error, in the body or in the stream, or {@link DECLINED}; `null` when there was none. */
  readonly failure: { readonly type: string; readonly message: string } | null
  /** Whether the answer came to its end. */
  readonly complete: boolean
}

/** One request that an API has and engines may send. Nothing else is served or forwarded. */
export interface Route {
  readonly operation: WireOperation
  readonly method: 'GET' | 'POST'
  /** With `{model}` where the API has the name of a model. */
  readonly path: string
  /** Query parameters that may be forwarded, and the values that they may have. */
  readonly query?: Readonly<Record<string, RegExp>>
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

/** Builds a query from the parameters that a route knows; the others are left out. */
export function buildQuery({ query = {} }: Route, search: string): string {
  const parameters = new URLSearchParams(search)
  const allowed = Object.entries(query).flatMap(([name, pattern]) => {
    const value = parameters.get(name)
    return value !== null && pattern.test(value) ? [[name, value] as const] : []
  })
  return allowed.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(allowed)).toString()}`
}

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

/** What the client libraries of every API send. */
export const CLIENT_HEADERS: readonly string[] = [
  'accept',
  'user-agent',
  ...['arch', 'helper-method', 'lang', 'os', 'package-version'].map((name) => `x-stainless-${name}`),
  ...['retry-count', 'runtime', 'runtime-version', 'timeout'].map((name) => `x-stainless-${name}`),
]

/** What the requests of a wire may hold. */
export interface RequestRules {
  /** Names of the top-level fields that are forwarded; all others are left out. */
  readonly fields: ReadonlySet<string>
  /** The first thing by which the API would reach something for the session; `null` when there is none. */
  findForbidden(body: JsonObject, access: RequestAccess): Forbidden | null
}

/** What a session may have the API do. */
export interface RequestAccess {
  /** Whether it may use the network, and so the web tools that run at the API. */
  readonly network: boolean
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

/** A request as it may be forwarded, and what was left out. */
interface FilteredBody {
  readonly body: JsonObject
  readonly removed: readonly string[]
}

/** Leaves out the top-level fields that a wire does not know. */
export function filterFields(body: JsonObject, { fields }: RequestRules): FilteredBody {
  const entries = Object.entries(body)
  return {
    body: Object.fromEntries(entries.filter(([name]) => fields.has(name))),
    removed: entries.flatMap(([name]) => (fields.has(name) ? [] : [name])),
  }
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
