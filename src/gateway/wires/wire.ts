import type { IncomingHttpHeaders } from 'node:http'
import type { JsonValue } from '../../json.ts'
import type { PaidUsage } from '../budget/price.ts'
import type { AskModel } from '../clients/model-call.ts'
import type { CredentialKind } from '../leases/lease.ts'
import type { ModelApi } from './apis.ts'
import type { ModelAnswer, ModelFailure, ModelRequest } from '../../conversation/model.ts'
import type { EngineTraffic } from '../../conversation/traffic.ts'
import type { RequestRules } from './request-rules.ts'
import type { Route } from './route.ts'

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
