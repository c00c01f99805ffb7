import type { JsonValue } from '../lib/json.ts'
import { sha256, sha256OfJson } from '../lib/sha256.ts'
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
  /** As it came, such as a search that the API itself made, or what it found. */
  | { readonly kind: 'other'; readonly type: string; readonly value: JsonValue }

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
  /**
   * A sub-agent: `id` is new in every run, `prompt` is what it was given. Without an id, which a compaction may hide, it is
   * the latest one that was given this.
   */
  | { readonly kind: 'agent'; readonly id: string | null; readonly prompt: string }
  /** A call that the CLI makes for itself. */
  | { readonly kind: 'side'; readonly name: string }

/**
 * Thread of a request by which an engine only tells its model, which has answered already, that a sub-agent has ended. It
 * comes in some runs and not in others.
 */
export const SUB_AGENT_ENDED = 'sub-agent-ended'

/** A thread, the same in every run. */
export interface ThreadKey {
  /** `main`, `agent` or `side:<kind>`. */
  readonly thread: string
  /** What a sub-agent was given; `null` for the others. */
  readonly given: string | null
  /** Tells sub-agents apart that were given the same, by first appearance, from 0. */
  readonly slot: number
}

/** Finds the key of each thread of one run: one object for each. */
export function createThreadKeys(): (thread: Thread) => ThreadKey {
  const keys = new Map<string, ThreadKey>()
  const latest = new Map<string, ThreadKey>()
  return (asking) => {
    const thread = asking.kind === 'side' ? `side:${asking.name}` : asking.kind
    const given = asking.kind === 'agent' ? asking.prompt : null
    const id = asking.kind === 'agent' ? asking.id : ''
    const name = JSON.stringify([thread, id])
    const earlier = id === null ? latest.get(given ?? '') : keys.get(name)
    if (earlier !== undefined) return earlier
    const slot = given === null ? 0 : (latest.get(given)?.slot ?? -1) + 1
    const key = { thread, given, slot }
    keys.set(name, key)
    if (given !== null) latest.set(given, key)
    return key
  }
}

/** The name of a thread: `main`, `agent:<hash of what it was given>#<slot>`, `side:<name>`. */
export function nameThread({ thread, given, slot }: ThreadKey): string {
  return given === null ? thread : `${thread}:${sha256(given, 12)}#${slot}`
}

/** Identifies what is asked, so that a retry and a non-streaming fallback are the same request. */
export function fingerprint(request: ModelRequest): string {
  const { system, messages, tools } = request
  return sha256OfJson([system, messages, tools])
}

/** What tells the answers of a resumed session from those before it, which are in its requests: their ids must differ. */
export function markResumed({ messages }: Pick<ModelRequest, 'messages'>, turn: number): string {
  const before = messages.filter(({ role }) => role === 'assistant').length - turn
  return before > 0 ? `+${before}` : ''
}

/** What an engine's requests show that is not part of an API. */
export interface EngineTraffic {
  /** The thread of a request of this engine that is not on the main thread; `null` for every other request. Pure. */
  readonly threadOf?: (clues: RequestClues) => Thread | null
  /** An id that the engine made up in a tool result and that the model has to use again; `null` without one. Pure. */
  readonly idIn?: (result: string) => string | null
}

/** What a thread is read from. */
export interface RequestClues extends Pick<ModelRequest, 'messages' | 'system' | 'tools'> {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The thread of a request, by the first engine that knows it as one of its own. */
export function findThread(traffic: readonly EngineTraffic[], clues: RequestClues): Thread {
  return firstOf(traffic, ({ threadOf }) => threadOf?.(clues)) ?? { kind: 'main' }
}

/** The id in a tool result, by the first engine that made one up. */
export function findId(traffic: readonly EngineTraffic[], result: string): string | null {
  return firstOf(traffic, ({ idIn }) => idIn?.(result))
}

function firstOf<Found>(
  traffic: readonly EngineTraffic[],
  find: (one: EngineTraffic) => Found | null | undefined,
): Found | null {
  for (const one of traffic) {
    const found = find(one) ?? null
    if (found !== null) return found
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

/** A place in the results of tools where an engine writes what differs in every run: a duration, a count, an id, a date. */
export interface OwnValue {
  /** Names of the tools whose results hold it; `null` for those of every tool. */
  readonly tools: readonly string[] | null
  /** Matches a part of a line. Each of its groups is such a value. */
  readonly pattern: RegExp
}

/** Writes a line of a tool's result as every run on every machine would. */
export type ResultForm = (line: string, tool: string | null) => string

/**
 * Replaces an engine's own values by `#`, and names the paths outside the sandbox's own folders. It leaves a line that it
 * has changed already as it is, so that recordings of any age can be compared.
 */
export function createResultForm(ownValues: readonly OwnValue[], topFolders: ReadonlySet<string>): ResultForm {
  return (line, tool) => {
    const values = ownValues.filter(({ tools }) => tools === null || (tool !== null && tools.includes(tool)))
    const plain = values.reduce((text, { pattern }) => hideValues(text, pattern), line)
    return nameOutsidePaths(plain, topFolders)
  }
}

// In bubblewrap the folder above the workspace is the root, which cannot be replaced as text. So what is beside the
// sandbox's own folders is taken to lie beside the workspace.
function nameOutsidePaths(line: string, topFolders: ReadonlySet<string>): string {
  if (line === '/') return PARENT
  return line.replaceAll(ABSOLUTE_PATH, (path, first: string) => (topFolders.has(first) ? path : `${PARENT}${path}`))
}

const PARENT = '⟨parent⟩'
// Neither a path that begins earlier, nor the end of a tag or the host of an address.
const ABSOLUTE_PATH = /(?:(?<=file:\/\/)|(?<![\w.~⟩}\])*<$/-]))\/([\w@+][\w@+.-]*)/g

function hideValues(line: string, pattern: RegExp): string {
  let hidden = ''
  let at = 0
  for (const { indices } of line.matchAll(new RegExp(pattern, 'dg')))
    for (const group of indices?.slice(1) ?? []) {
      // A group that took no part in the match has no place.
      if (group === undefined || group[0] < at) continue
      hidden += `${line.slice(at, group[0])}#`
      at = group[1]
    }
  return hidden + line.slice(at)
}
