import type { HookDecision, HookWords } from '../../transcript/transcript.ts'

/** What the hook shim needs to know about each hook command it replaces. */
export interface HookPlan {
  readonly packageRoot: string
  /** Variables of the hooks' commands besides `PACKAGE_ROOT`. */
  readonly env?: Readonly<Record<string, string>>
  readonly hooks: readonly PlannedHook[]
  /** `json`: the engine understands a denial, with its reason, only in the JSON that names the decision. */
  readonly denials?: 'json'
}

export interface PlannedHook {
  /** Given to the shim as its argument. */
  readonly id: string
  /** Name of the event, such as `pre-tool-use`. */
  readonly event: string
  /** The engine's own matcher on the names of tools, `null` for every tool; absent where it is not known. */
  readonly matcher?: string | null
  /** Whether its script reads and writes the spelling of Claude Code, and no other. */
  readonly native?: true
  readonly command: string
  /** Seconds. */
  readonly timeout: number
}

/** Words of a hook, as the hook itself printed them. */
export type SaidWords = Pick<HookWords, 'text' | 'what'>

/** One line of `decisions.jsonl`, written by the shim. */
export interface RecordedDecision {
  readonly id: string
  readonly event: string
  readonly tool: string | null
  /** Engine's id of the tool call, where it gave one. */
  readonly toolCallId: string | null
  /** Hash of the call's input, where the engine gave no id. */
  readonly input?: string
  readonly decision: HookDecision
  readonly exitCode: number | null
  readonly reason: string
  /** What it said; absent when it said nothing. */
  readonly said?: readonly SaidWords[]
  readonly durationMs: number
}
