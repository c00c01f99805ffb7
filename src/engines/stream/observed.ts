import type { JsonValue } from '../../json.ts'

/** What a session's requests show. */
export interface Observed {
  /** The model's messages and calls, in order; each sub-agent's after all of the main thread's. */
  readonly steps: readonly ObservedStep[]
  /** What the main thread was shown besides results of tools. */
  readonly shown: readonly string[]
}

/** One message or call of a model. */
export type ObservedStep =
  | { readonly kind: 'message'; readonly agent: string | null; readonly text: string }
  | {
      readonly kind: 'call'
      /** The tool call that started the sub-agent; `null` on the main thread. */
      readonly agent: string | null
      readonly id: string
      readonly tool: string
      readonly input: JsonValue
      /** `null` when the session ended before it. */
      readonly result: { readonly text: string; readonly isError: boolean } | null
    }
