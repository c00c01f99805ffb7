import type { JsonObject, JsonValue } from '../../lib/json.ts'
import { matchesWhole } from '../../lib/patterns.ts'
import type { HookDecision, HookWords } from '../../transcript/transcript.ts'

/** What the hook shim needs to know about each hook command it replaces. */
export interface HookPlan {
  readonly packageRoot: string
  /** Variables of the hooks' commands besides `PACKAGE_ROOT`. */
  readonly env?: Readonly<Record<string, string>>
  readonly hooks: readonly PlannedHook[]
  /** The mod that the session loads beside them, as a path for people; absent where there is none. */
  readonly mod?: string
  /** `json`: the engine understands a denial, and words for the model, only in JSON of its own. */
  readonly answers?: 'json'
  /** Answers before a call that the engine takes for a mistake, and goes on. */
  readonly unheeded?: readonly UnheededAnswer[]
}

/** `permissionDecision: ask`, `continue: false`. */
export type UnheededAnswer = 'ask' | 'continue'

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
  /** The engine does not wait for it, so it decides nothing. */
  readonly async?: true
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

/** A hook that ran, as the engine's own stream shows it. */
export interface HookRun {
  /** Universal event name. */
  readonly event: string
  readonly tool: string | null
  /** The engine ended it at its own end: it had not waited for it. */
  readonly cutOff?: true
}

/** Whether a matcher names a tool in every reading: engines differ in whether it must match the name as a whole. */
export function namesTool(matcher: string | null, tool: string): boolean {
  return matcher === null || matchesWhole(matcher, tool)
}

/** How a runtime sends events to hooks. Pure. */
export interface HookRuntime {
  /** Its name for people. */
  readonly title: string
  /** Fields of every event. */
  readonly fields: JsonObject
  /** The tool call as it sends it; a text says why it never sends such a one. */
  readonly toolCall: (name: JsonValue | undefined, input: JsonValue | undefined) => JsonObject | string
  /** Variables of a hook's process. */
  readonly variables: (packageRoot: string) => Readonly<Record<string, string>>
}

/** What is known of a session beside its engine's log of mods. */
export interface ModSession {
  /** The module, as a path for people. */
  readonly module: string
  /** The engine's. */
  readonly version: string | null
  /** Texts of results by the id of their call. */
  readonly results: ReadonlyMap<string, string>
  /** What the model got that no tool returned. */
  readonly texts: readonly string[]
}
