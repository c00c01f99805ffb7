import type { JsonValue } from '../json.ts'
import type { ModelAnswer } from '../conversation/model.ts'

/** How the first request of an engine and the answer to it decide a trigger query. Everything is pure. */
export interface FirstTurnRules {
  /** Versions for which `dependsOn` is known to be complete. */
  readonly versions: readonly string[]
  /** Why more of a first request than its text depends on the prompt; `null` when nothing does. */
  dependsOn(prompt: string): string | null
  /** Whether a first request may show a file of the workspace. */
  shows(path: string): boolean
  /** Whether a file of the workspace holds settings, which may add hooks. */
  isSettings(path: string): boolean
  /** Why a call of a skill with this SKILL.md may do more than load it, or fail; `null` when it only loads it. */
  mayFail(skill: string): string | null
  /** What a hook of an event can change: the first request, the call of a skill, the end of a turn, or none of these. */
  hookChanges(event: string): 'call' | 'end' | 'nothing' | 'request'
  /** Skills that a request offers, by the names that a call has to use. */
  offers(body: JsonValue): readonly string[]
  /** Reads an answer; `null` for one that is not complete. */
  read(contentType: string, bytes: Uint8Array): FirstAnswer | null
  /** As `read`, of an answer that was recorded. */
  readRecorded(answer: Pick<ModelAnswer, 'content' | 'stopReason'>): FirstAnswer
  /** What the answer decides. `offered` are the skills of its request. */
  decide(answer: FirstAnswer, offered: readonly string[]): FirstDecision
}

/** The first answer of a session. */
export interface FirstAnswer {
  readonly blocks: readonly FirstBlock[]
  /** Why it ended, in the word of the API. */
  readonly stop: string
  /** The same answer as JSON, for a request that is not streamed. */
  readonly message: string
}

/** One piece of an answer. */
export type FirstBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking' }
  /** `input` is `null` where it cannot be read. */
  | { readonly kind: 'call'; readonly id: string; readonly tool: string; readonly input: JsonValue }
  | { readonly kind: 'other'; readonly type: string }

/** What a first answer decides. */
export type FirstDecision =
  /** Its first call uses this skill. */
  | { readonly kind: 'called'; readonly skill: string }
  /** The model has ended its turn and called nothing. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'undecided'; readonly because: string }
