import type { IncomingHttpHeaders } from 'node:http'
import type { JsonValue } from '../../json.ts'
import type { PaidUsage } from '../budget/price.ts'
import type { CredentialKind, WireName } from '../leases/lease.ts'
import type { ModelAnswer, ModelFailure, ModelRequest } from '../../conversation/model.ts'
import type { EngineTraffic } from '../../conversation/traffic.ts'
import type { RequestRules } from './request-rules.ts'
import type { Route } from './route.ts'

/** How engines of one kind talk to a model. Everything that knows an API's JSON is behind this. */
export interface Wire {
  readonly name: WireName
  /** Variable of the parent's environment that names the upstream, and the official one. */
  readonly upstream: WireUpstream
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
  /** Reads a request body; `null` when it is not one. */
  readRequest(body: JsonValue, headers: IncomingHttpHeaders, traffic: readonly EngineTraffic[]): ModelRequest | null
  writeAnswer(answer: ModelAnswer, stream: boolean): WireResponse
  writeFailure(failure: ModelFailure): WireResponse
  /** Answers a token count without a model: nothing is known, nothing is invented. */
  writeTokenCount(): WireResponse
  /** Watches an answer that passes by. */
  observe(status: number, contentType: string): AnswerObserver
  /** Keeps an answer that passes by whole, for a recording. */
  readAnswer(contentType: string): AnswerReader
}

/** Where a wire leads to. */
export interface WireUpstream {
  readonly variable: string
  readonly official: string
  /** Beginning of the wire's paths that a base URL of this API holds already; empty when it holds none. */
  readonly mount: string
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
