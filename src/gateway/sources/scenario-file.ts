import { mapLeaves, type JsonObject } from '../../lib/json.ts'
import { textsOf, type ModelRequest } from '../../recordings/messages.ts'

/** A hand-written source: what the model "says", turn by turn. Plain JSON once loaded. */
export interface Scenario {
  /** Path of the file as messages show it. */
  readonly file: string
  /** Model id that the answers carry; default `scenario`. */
  readonly model: string | null
  /** Answers on the main thread, in order. */
  readonly turns: readonly ScenarioTurn[]
  /** Answers to calls that the CLI makes on the side, such as prompt hooks. */
  readonly side: readonly ScenarioTurn[]
  /** Answers of the judge, in order; a case without a judge needs none. */
  readonly judge: readonly ScenarioJudgement[]
}

/** One answer. A turn without tools ends the model's turn. */
export interface ScenarioTurn {
  /** Line in the file, from 1. */
  readonly line: number
  readonly text: string | null
  readonly tools: readonly ScenarioToolCall[]
  /** Answers with this API error instead. */
  readonly error: ScenarioError | null
  /** Ends the answer this way instead of as its tools say. */
  readonly stop?: ScenarioStop
}

/** How an answer may end before its end. */
type ScenarioStop = 'max-tokens' | 'refusal'

/** One answer of the judge: verdicts or scores that are written out as the judge has to, or the raw text of a misbehaving one. */
export interface ScenarioJudgement {
  /** Line in the file, from 1. */
  readonly line: number
  readonly verdicts: readonly ScenarioVerdict[] | null
  readonly scores: ScenarioScores | null
  readonly text: string | null
  readonly error: ScenarioError | null
  readonly stop: ScenarioStop | null
}

/** What a judge by rubric gives. */
export interface ScenarioScores {
  readonly scores: Readonly<Record<string, { readonly score: number | null; readonly justification: string }>>
  readonly hardFails: readonly string[]
  readonly justification: string
  /** One for each expected fact of the test, in order. */
  readonly facts: readonly {
    readonly stated: boolean
    readonly correct: boolean | null
    readonly cited: boolean | null
  }[]
}

/** What the judge says of one statement, in the order of the statements. */
interface ScenarioVerdict {
  readonly verdict: 'pass' | 'fail' | 'unscored'
  readonly reason: string
  readonly quote: string
  /** What the judge has against the statement itself; empty when nothing. */
  readonly weak: string
}

export interface ScenarioToolCall {
  readonly name: string
  /** A text for a tool that takes free text. */
  readonly input: JsonObject | string
  /** When the call delegates to a sub-agent: that sub-agent's answers. It is found again by the prompt it is given. */
  readonly turns: readonly ScenarioTurn[] | null
}

export interface ScenarioError {
  readonly status: number
  readonly type: string
  readonly message: string
  /** Seconds, sent as `retry-after`. */
  readonly retryAfter: number | null
}

/** Stands in a stored answer for the nonce of the request that it answers. */
export const NONCE_PLACEHOLDER = '${NONCE}'

/** The line with which a request asks for its nonce in the answer, as a proof that it was read. */
export function nonceLine(nonce: string): string {
  return `nonce: ${nonce}`
}

/** Puts the nonce of a request into an answer that was written before there was one. */
export function withNonce<T>(answer: T, request: Pick<ModelRequest, 'messages'>): T {
  const nonce = nonceOf(request)
  if (nonce === null) return answer
  return mapLeaves(answer, (leaf) => (typeof leaf === 'string' ? leaf.replaceAll(NONCE_PLACEHOLDER, nonce) : leaf))
}

// Ours is the first line; what follows may be anything that an agent wrote.
function nonceOf({ messages }: Pick<ModelRequest, 'messages'>): string | null {
  const texts = textsOf(messages.find((message) => message.role === 'user'))
  return texts.map((text) => /^nonce: ([0-9a-f]{32})$/m.exec(text)?.[1]).find((found) => found !== undefined) ?? null
}
