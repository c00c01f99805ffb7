import type { ServerResponse } from 'node:http'
import type { Asked, Conversation } from '../../conversation/conversation.ts'
import type { Spending } from '../budget/budget.ts'
import type { Lead } from '../first-turn/leader.ts'
import type { Meter } from '../budget/meter.ts'
import type { WorstCase } from '../budget/worst-case.ts'
import type { ModelAnswer, ModelFailure, ModelRequest } from '../../conversation/model.ts'
import type { Route } from '../wires/route.ts'
import type { Wire } from '../wires/wire.ts'
import type { WrittenBody } from '../read-asked.ts'
import type { Refusal } from './refusal.ts'

/** Where the answers of one lease come from: it either answers by itself or passes the request on. */
export type Source = (
  | { readonly kind: 'answers'; answer(request: ModelRequest): SourceAnswer }
  | {
      readonly kind: 'forwards'
      forward(exchange: Exchange): Promise<void>
      /** Notes a request for an answer before it is forwarded; absent where nothing listens. */
      listen?(request: ModelRequest): Pick<Asked, 'answered' | 'brokeOff'>
    }
) & {
  /** What was asked and answered so far; absent where nothing listens. */
  conversation?(): Conversation
  /** Characters that it keeps of that; absent where nothing listens. */
  conversationSize?(): number
  /** Called once when the lease is over. */
  close?(): void
}

export type SourceAnswer =
  | { readonly kind: 'answer'; readonly answer: ModelAnswer }
  | { readonly kind: 'failure'; readonly failure: ModelFailure; readonly refusal: Refusal }

/** One request of an engine, parsed, from which the request to the API is built. */
export interface Exchange {
  readonly wire: Wire
  readonly route: Route
  /** Model that is asked for. */
  readonly model: string
  /** The model of the run itself. */
  readonly ownModel: string
  readonly thread: string
  /** What followed the question mark. */
  readonly query: string
  /** Those that may go on to the API. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body written anew; `null` where the route has none. */
  readonly body: WrittenBody | null
  readonly response: ServerResponse
  /** Takes room for bytes of the answer; `false` when there is none left. */
  readonly grow: (bytes: number) => boolean
  /** Called when the answer is larger than any of a model: the session gets no other. */
  readonly tooLarge: () => void
  readonly meter: Meter
  readonly spending: Spending
  /** The most that it may use; `null` for a request that costs nothing. */
  readonly worstCase: WorstCase | null
  /** Aborts when the lease is over. */
  readonly signal: AbortSignal
  /** Aborts when we end the run, before its program can hang up. */
  readonly ended: AbortSignal
  /** Takes the answer once it has passed completely. */
  readonly onAnswer: (answer: ModelAnswer) => void
  /** Waits until another request has filled the prompt cache that this one reads. */
  readonly follow: (signal: AbortSignal) => Promise<Lead>
  /** Takes what came of an answer that broke off. */
  readonly brokeOff: (content: ModelAnswer['content']) => void
}
