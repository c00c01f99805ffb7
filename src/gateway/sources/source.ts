import { shorten, singleSpaced } from '../../lib/text.ts'
import type { ServerResponse } from 'node:http'
import { mapLeaves, type JsonObject, type JsonValue } from '../../lib/json.ts'
import { idOfCall, type Asked, type Conversation } from '../../recordings/conversation.ts'
import {
  SUB_AGENT_ENDED,
  findId,
  type EngineTraffic,
  type ModelAnswer,
  type ModelFailure,
  type ModelPart,
  type ModelRequest,
} from '../../recordings/messages.ts'
import type { Spending } from '../budget/budget.ts'
import { NO_USAGE } from '../../transcript/transcript.ts'
import type { Meter } from '../budget/meter.ts'
import type { Lead } from '../first-turn/leaders.ts'
import type { RequestSize } from '../body.ts'
import type { Problem } from '../leases/lease.ts'
import type { Route, Wire } from '../wires/wire.ts'

/** Where the answers of one lease come from: it either answers by itself or passes the request on. */
export type Source = (
  | {
      readonly kind: 'answers'
      /** `asked` is what its `listen` has returned for the request, which is noted here without that. */
      answer(request: ModelRequest, asked?: Asked): SourceAnswer
    }
  | { readonly kind: 'forwards'; forward(exchange: Exchange): Promise<void> }
) & {
  /** Notes a request before it is answered; absent where nothing listens. */
  listen?(request: ModelRequest): Asked
  /** What was asked and answered so far; absent where nothing listens. */
  conversation?(): Conversation
  /** Waits a moment for the answers that its session has left, which say what they cost; absent where nothing costs. */
  settle?(): Promise<void>
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
  /** Whether a model that is down is not asked again. */
  readonly givesUp: boolean
  readonly thread: string
  /** What followed the question mark. */
  readonly query: string
  /** Those that go on to the API. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body; `null` where the route has none. */
  readonly body: JsonObject | null
  readonly response: ServerResponse
  readonly meter: Meter
  readonly spending: Spending
  /** What it costs money for; `null` for a request that costs nothing. */
  readonly size: RequestSize | null
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

/** What an API error means for a run. */
interface Refusal {
  readonly problem: Problem
  /** Whether no retry can make it good. */
  readonly final: boolean
}

/** Words an API error as a problem. `who` is the upstream or the scenario that gave it; only an upstream can be mended. */
export function describeRefusal(status: number, message: string, who: string, upstream: boolean): Refusal {
  const detail = message.trim() === '' ? '' : `: ${shorten(singleSpaced(message).replace(/\.$/, ''), 300)}`
  if (status === 402 || OUT_OF_MONEY.test(message))
    return {
      final: true,
      problem: {
        code: 'out-of-credit',
        message: `${who} has no credit left (${status})${detail}.${upstream ? ' Top up the account or raise its limit.' : ''}`,
      },
    }
  const next = NEXT_STEPS.get(status)
  const problem = {
    code: 'upstream-failed',
    message: `${who} answered ${status}${detail}.${next === undefined || !upstream ? '' : ` ${next}`}`,
  } as const
  return { final: next !== undefined, problem }
}

// Every status here is one that the same request gets again.
const NEXT_STEPS = new Map([
  [401, 'Check that the credential is valid.'],
  [403, 'Check what the credential may be used for.'],
  [404, 'Check the model name and the base URL.'],
  [413, 'The conversation is larger than the API takes.'],
])

const OUT_OF_MONEY =
  /credit balance is too low|enforced_spend_limit_reached|credit_balance_exhausted|insufficient_quota|spend(?:ing)? limit/i

/** Says in one sentence what a request ends with, so that an author knows what to answer. */
export function describeLastMessage(request: ModelRequest): string {
  const part = request.messages.findLast((message) => message.role === 'user')?.parts.findLast(isTelling)
  if (part === undefined) return 'The request contains no message of the user.'
  if (part.kind === 'tool-result')
    return `The last message was the ${part.isError ? 'error' : 'result'} of a tool: ${quote(part.text)}`
  return `The last message was: ${quote(part.kind === 'text' ? part.text : part.kind)}`
}

function isTelling(part: ModelPart): boolean {
  return part.kind === 'tool-result' || (part.kind === 'text' && !part.text.trimStart().startsWith('<system-reminder>'))
}

function quote(text: string): string {
  return `${JSON.stringify(shorten(singleSpaced(text), 200))}.`
}

/** The answer to a request that needs none and that no source knows before; `null` for every other. */
export function emptyAnswer({ thread }: Pick<ModelRequest, 'thread'>, model: string): ModelAnswer | null {
  if (thread.kind !== 'side' || thread.name !== SUB_AGENT_ENDED) return null
  return {
    id: `msg_${SUB_AGENT_ENDED}`,
    model,
    content: [],
    stopReason: 'end-turn',
    usage: NO_USAGE,
  }
}

/** Puts the ids of this session where an answer names them by their call, or the latest of all as `${LAST_ID}`. */
export function withVolatileIds<T>(
  answer: T,
  { messages }: Pick<ModelRequest, 'messages'>,
  traffic: readonly EngineTraffic[],
): T {
  const text = JSON.stringify(answer)
  if (!text.includes('⟨id@') && !text.includes(LAST_ID)) return answer
  const results = messages.flatMap(({ parts }) => parts).filter((part) => part.kind === 'tool-result')
  const ids = results.flatMap(({ id, text: result }) => {
    const found = findId(traffic, result)
    return found === null ? [] : [[idOfCall(id), found] as const]
  })
  const all = new Map([...ids, [LAST_ID, ids.at(-1)?.[1] ?? LAST_ID]])
  return mapLeaves(answer, (leaf) => (typeof leaf === 'string' ? replaceIn(leaf, all) : leaf))
}

const LAST_ID = '${LAST_ID}'

// The id of a process is a number.
function replaceIn(text: string, ids: ReadonlyMap<string, string>): JsonValue {
  const whole = ids.get(text)
  if (whole !== undefined) return /^\d+$/.test(whole) ? Number(whole) : whole
  return [...ids].reduce((rest, [name, id]) => rest.replaceAll(name, id), text)
}
