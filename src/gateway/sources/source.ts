import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Conversation } from '../../conversation/conversation.ts'
import type { Meter } from '../meter.ts'
import type { ModelAnswer, ModelFailure, ModelRequest } from '../../conversation/model.ts'
import type { Wire, WireOperation } from '../wires/wire.ts'
import type { Refusal } from './refusal.ts'

/** Where the answers of one lease come from: it either answers by itself or passes the request on. */
export type Source = (
  | { readonly kind: 'answers'; answer(request: ModelRequest): SourceAnswer }
  | { readonly kind: 'forwards'; forward(exchange: Exchange): Promise<void> }
) & {
  /** What was asked and answered so far; absent where nothing listens. */
  conversation?(): Conversation
}

export type SourceAnswer =
  | { readonly kind: 'answer'; readonly answer: ModelAnswer }
  | { readonly kind: 'failure'; readonly failure: ModelFailure; readonly refusal: Refusal }

/** One request that is passed on. */
export interface Exchange {
  readonly wire: Wire
  readonly operation: WireOperation
  readonly asked: ModelRequest
  /** Path and query of the wire. */
  readonly target: string
  readonly lane: string
  readonly body: Buffer
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly meter: Meter
  /** Aborts when the lease is over. */
  readonly signal: AbortSignal
  /** Is told the answer once it has passed whole. */
  readonly hear?: (answer: ModelAnswer) => void
}
