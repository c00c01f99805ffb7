import type { JsonValue } from '../json.ts'
import type { StopReason, Usage } from '../transcript/transcript.ts'

/** What a model is asked, in one shape for every wire. */
export interface ModelRequest {
  readonly thread: Thread
  readonly model: string
  readonly stream: boolean
  readonly system: readonly string[]
  readonly messages: readonly ModelMessage[]
  /** Names of the offered tools. */
  readonly tools: readonly string[]
  /** What the model sees of them. */
  readonly offers: readonly ToolOffer[]
}

export interface ToolOffer {
  readonly name: string
  readonly description: string
}

export interface ModelMessage {
  readonly role: string
  readonly parts: readonly ModelPart[]
}

/** One piece of a message. What has no shape of its own, such as an image, is kept as it came. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly id: string; readonly name: string; readonly input: JsonValue }
  | { readonly kind: 'tool-result'; readonly id: string; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'other'; readonly type: string; readonly value: JsonValue }

/** What a model answers, in one shape for every wire. */
export interface ModelAnswer {
  readonly id: string
  readonly model: string
  readonly content: readonly AnswerBlock[]
  readonly stopReason: StopReason
  readonly usage: Usage
}

export type AnswerBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly id: string; readonly name: string; readonly input: JsonValue }

export type { StopReason }

/** An answer that is an API error. */
export interface ModelFailure {
  readonly status: number
  /** In the words of the wire, such as `overloaded_error`; `null` for the usual one of the status. */
  readonly type: string | null
  readonly message: string
  /** Seconds. */
  readonly retryAfter: number | null
  /** Whether a client may try again; `null` leaves it to the status. */
  readonly retry: boolean | null
}

/** Texts of a message, reminders and other parts left as they are. */
export function textsOf(message: ModelMessage | undefined): readonly string[] {
  return (message?.parts ?? []).flatMap((part) => (part.kind === 'text' ? [part.text] : []))
}

/**
 * The conversation of a run that a request is part of. Ordinals only hold inside a thread: parallel sub-agents ask in any order.
 */
export type Thread =
  | { readonly kind: 'main' }
  /** A sub-agent: `id` is new in every run, `prompt` is what it was given. */
  | { readonly kind: 'agent'; readonly id: string; readonly prompt: string }
  /** A call that the CLI makes for itself. */
  | { readonly kind: 'side'; readonly name: string }
