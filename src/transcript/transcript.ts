import type { JsonValue } from '../json.ts'

/** Who stopped a tool call. */
export type Blocker = 'hook' | 'permission' | 'sandbox'

/** What a hook told somebody. `context` and `reason` are for the model, `message` is for the user. */
export interface HookWords {
  /** `input`, `output`: what it put in the place of a call's input or output, as JSON. */
  readonly what: 'context' | 'input' | 'message' | 'output' | 'reason'
  readonly text: string
  /** Whether the gateway saw the model get these words; without that they prove nothing. */
  readonly reachedModel: boolean
}

/** A hook's decision, by the way it was given. */
export type HookDecision = 'allowed' | 'blocked-exit-2' | 'denied-json' | 'failed' | 'invalid' | 'timed-out' | 'missing'

/** Where an event is known from: the model's answer, what a request gave the model, the engine alone, or a hook. */
export type EventOrigin = 'cli' | 'given to the model' | 'hook' | 'model'

/** What every event has before it has a number. What says nothing of its origin is the engine's. */
interface UnnumberedBase {
  /** The sub-agent that did it; `null` on the main thread. */
  readonly agent: string | null
  readonly from?: EventOrigin
}

interface EventBase extends UnnumberedBase {
  /** Position in the run, from 1. */
  readonly n: number
  readonly from: EventOrigin
}

/** What happened in a run, in order: one shape for every engine. */
export type TranscriptEvent = EventBase & EventParts

/** An event as a parser produces it, before it has a number. */
export type UnnumberedEvent = EventParts & UnnumberedBase

type EventParts =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly id: string; readonly tool: string; readonly input: JsonValue }
  | {
      readonly kind: 'tool-result'
      readonly id: string
      readonly text: string
      readonly isError: boolean
      /** Who stopped the call; `null` when it ran. */
      readonly blockedBy: Blocker | null
    }
  | { readonly kind: 'skill-used'; readonly skill: string; readonly via: 'command' | 'read' | 'tool' }
  | {
      readonly kind: 'hook'
      /** Universal event name, such as `pre-tool-use`. */
      readonly event: string
      readonly tool: string | null
      readonly decision: HookDecision
      readonly exitCode: number | null
      /** The hook's reason: stderr, or the reason of its JSON. */
      readonly reason: string
      /** The engine's own matcher of its group, `null` for every tool; absent where it is not known. */
      readonly matcher?: string | null
      /** Absent where it told nobody anything. */
      readonly told?: readonly HookWords[]
    }
  | { readonly kind: 'api-retry'; readonly status: number | null; readonly message: string }
  | { readonly kind: 'notice'; readonly text: string }

/** How an answer of a model ended. */
export type StopReason = 'end-turn' | 'tool-calls' | 'max-tokens' | 'refusal'

/** Tokens as the API counted them. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}
