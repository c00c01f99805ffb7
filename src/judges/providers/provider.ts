import type { AcquiredLease } from '../../gateway/client.ts'
import type { WireName } from '../../gateway/lease.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { JudgePrompt } from '../prompt.ts'

/** One request to a judge. */
export interface JudgeCall {
  readonly prompt: JudgePrompt
  /** Id of the model, or a family that the provider knows. */
  readonly model: string
  readonly maxTokens: number
  /** `null` leaves it to the model. */
  readonly temperature: number | null
  /** What the answer is forced to. */
  readonly schema: JsonObject
  readonly lease: AcquiredLease
  readonly signal: AbortSignal
}

/** What came back. */
export type JudgeReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: JsonValue }
  /** An answer in no usable form: one sentence. */
  | { readonly kind: 'malformed'; readonly problem: string }
  | { readonly kind: 'stopped'; readonly why: 'max-tokens' | 'refusal' }
  /** No answer: one sentence. `final`: the next request would fare the same. */
  | { readonly kind: 'failed'; readonly problem: string; readonly final: boolean }

/** A way to reach a judge. Whatever it does goes through the gateway. */
export interface JudgeProvider {
  /** Wire of the gateway that it talks to. */
  readonly wire: WireName
  /** Finds the id that a model's name stands for. */
  resolveModel(model: string, lease: AcquiredLease, signal: AbortSignal): Promise<string>
  ask(call: JudgeCall): Promise<JudgeReply>
}
