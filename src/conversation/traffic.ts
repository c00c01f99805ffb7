import type { JsonValue } from '../json.ts'
import { sha256 } from '../sha256.ts'
import { textsOf } from './model.ts'
import type { ModelMessage, ModelRequest, Thread } from './model.ts'

/** What an engine's requests show that is not part of an API. */
export interface EngineTraffic {
  /** The thread of a request of this engine that is not on the main thread; `null` for every other request. Pure. */
  readonly threadOf?: (clues: RequestClues) => Thread | null
  /** An id that the engine made up in a tool result and that the model has to use again; `null` without one. Pure. */
  readonly idIn?: (result: string) => string | null
  /** The skill that a call uses once it succeeds; `null` for any other call. Pure. */
  readonly skillOf?: (tool: string, input: JsonValue) => string | null
  /** Headers that it adds to those of the API, in lower case: these reach the API, too. */
  readonly headers?: readonly string[]
}

/** What a thread is read from. */
export interface RequestClues extends Pick<ModelRequest, 'messages' | 'system' | 'tools'> {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The thread of a request, by the first engine that knows it as one of its own. */
export function findThread(traffic: readonly EngineTraffic[], clues: RequestClues): Thread {
  for (const { threadOf } of traffic) {
    const thread = threadOf?.(clues) ?? null
    // A session could name a thread as long as a header may be, and each is remembered.
    if (thread?.kind === 'agent' && thread.id.length > LONGEST_ID) return { ...thread, id: sha256(thread.id) }
    if (thread !== null) return thread
  }
  return { kind: 'main' }
}

const LONGEST_ID = 100

/** The id in a tool result, by the first engine that made one up. */
export function findId(traffic: readonly EngineTraffic[], result: string): string | null {
  for (const { idIn } of traffic) {
    const id = idIn?.(result) ?? null
    if (id !== null) return id
  }
  return null
}

/** The skill that a call uses once it succeeds, by the first engine that knows the call. */
export function findSkill(traffic: readonly EngineTraffic[], tool: string, input: JsonValue): string | null {
  for (const { skillOf } of traffic) {
    const skill = skillOf?.(tool, input) ?? null
    if (skill !== null) return skill
  }
  return null
}

/** The header of this name; empty where there is none. */
export function headerOf({ headers }: RequestClues, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** The texts of the first user message, one of which may be a delegated prompt. */
export function openingTexts(request: { readonly messages: readonly ModelMessage[] }): readonly string[] {
  return textsOf(request.messages.find((message) => message.role === 'user'))
}
