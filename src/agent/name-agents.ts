import { isJsonObject } from '../json.ts'
import { stringOf, stringsIn } from '../json-fields.ts'
import { callsIn } from './pair-calls.ts'
import type { Conversation, ObservedThread } from '../conversation/conversation.ts'
import type { ModelCall } from '../engines/record-table.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** The sub-agents of a session. */
export interface NamedAgents {
  readonly names: ReadonlyMap<ObservedThread, string>
  /** Threads of sub-agents that nothing in the session has started, as clauses. */
  readonly unknown: readonly string[]
}

/**
 * Names sub-agents by their type and the call that started them, which is the same in every replay. Where no call holds
 * what one was given, such as for a skill that runs as a sub-agent, the engine's stream says whose it is.
 */
export function nameAgents(threads: Conversation['threads'], events: readonly UnnumberedEvent[]): NamedAgents {
  const calls = threads
    .filter(({ thread }) => thread === 'main' || thread === 'agent')
    .flatMap((thread) => callsOf(thread).map((call) => ({ call, thread })))
  const names = new Map<ObservedThread, string>()
  const unknown: string[] = []
  const taken = new Set<ModelCall>()
  for (const thread of threads.filter((one) => one.thread === 'agent')) {
    const { given } = thread
    const isOrigin = (one: (typeof calls)[number]): boolean =>
      one.thread !== thread && !taken.has(one.call) && stringsIn(one.call.input).some((text) => text.trim() === given)
    const origin = calls.find(isOrigin)?.call
    if (origin !== undefined) taken.add(origin)
    const name = shownName(thread, origin, events) ?? (origin === undefined ? null : nameOf(origin))
    if (name !== null) names.set(thread, name)
    else if (thread.turns.some(({ answer }) => answer !== null))
      unknown.push(
        `the gateway saw a sub-agent that no call has started (${JSON.stringify((given ?? '').slice(0, 80))})`,
      )
  }
  return { names, unknown }
}

function callsOf({ turns }: ObservedThread): readonly ModelCall[] {
  return turns.flatMap(({ answer, taken }) => callsIn(taken ?? answer?.content ?? []))
}

function nameOf({ id, input }: ModelCall): string {
  const type = isJsonObject(input) ? stringOf(input['subagent_type'] ?? input['agent_type']) : ''
  return `${type === '' ? 'agent' : type}#${id}`
}

// The engine knows the type that it takes where a call names none.
function shownName(
  thread: ObservedThread,
  origin: ModelCall | undefined,
  events: readonly UnnumberedEvent[],
): string | null {
  const content = thread.turns.flatMap(({ answer }) => answer?.content ?? [])
  const isOwn = (event: UnnumberedEvent): boolean => {
    if (event.agent === null) return false
    if (origin !== undefined) return event.agent.endsWith(`#${origin.id}`)
    return content.some(
      (block) =>
        (block.kind === 'tool-call' && event.kind === block.kind && event.id === block.id) ||
        (block.kind === 'text' && event.kind === 'message' && event.text.trim() === block.text.trim()),
    )
  }
  return events.find(isOwn)?.agent ?? null
}
