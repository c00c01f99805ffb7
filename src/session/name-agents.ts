import type { ModelCall, RecordTable, SkillSignal } from '../engines/stream.ts'
import { isJsonObject, stringOf, stringsIn } from '../lib/json.ts'
import type { Conversation, ObservedThread, ObservedTurn } from '../recordings/conversation.ts'
import { callsIn } from './model-calls.ts'

/** A sub-agent by the call that started it. */
export interface NamedAgent {
  readonly thread: ObservedThread
  /** Its type and the id of the call, which is the same in every replay. */
  readonly name: string
  readonly call: ModelCall
  /** The thread that made the call. */
  readonly caller: ObservedThread
  /** The skill that runs as this sub-agent; `null` for any other. */
  readonly skill: SkillSignal | null
}

/**
 * Finds the calls that started sub-agents: those that contain what one was given, else calls of skills without a result
 * when it began. A sub-agent that no call has started is left out.
 */
export function nameAgents(threads: Conversation['threads'], table: RecordTable): readonly NamedAgent[] {
  const calls = threads
    .filter(({ thread }) => thread === 'main' || thread === 'agent')
    .flatMap((caller) => caller.turns.flatMap((turn) => callsOf(turn).map((call) => ({ call, caller, turn }))))
  const results = new Map(
    threads.flatMap(({ turns }) => turns.flatMap((turn) => turn.results.map(({ id }) => [id, turn.order] as const))),
  )
  const taken = new Set<ModelCall>()
  return threads
    .filter(({ thread }) => thread === 'agent')
    .flatMap((thread): readonly NamedAgent[] => {
      const start = thread.turns[0]?.order ?? 0
      const free = calls.filter(({ call, caller }) => caller !== thread && !taken.has(call))
      const skillOf = ({ call }: (typeof calls)[number]): SkillSignal | null =>
        table.skillsOf(table.callOf(call), '').find(({ via }) => via === 'tool') ?? null
      const origin =
        free.find(({ call }) => DELEGATES.test(call.name) && isGiven(call, thread)) ??
        free.find((one) => {
          const end = results.get(one.call.id) ?? Infinity
          return one.turn.order < start && start < end && skillOf(one) !== null
        })
      if (origin === undefined) return []
      const { call, caller } = origin
      taken.add(call)
      const skill = DELEGATES.test(call.name) ? null : skillOf(origin)
      return [{ thread, name: nameOf(call), call, caller, skill }]
    })
}

/** Tools by which models start sub-agents, in the names of the engines. */
const DELEGATES = /^(?:Agent|Task|task|(?:.*\.)?spawn_agent)$/

function callsOf({ answer, taken }: ObservedTurn): readonly ModelCall[] {
  return callsIn(taken ?? answer?.content ?? [])
}

function isGiven({ input }: ModelCall, { given }: ObservedThread): boolean {
  return stringsIn(input).some((text) => text.trim() === given)
}

function nameOf({ id, input }: ModelCall): string {
  const type = isJsonObject(input) ? stringOf(input['subagent_type'] ?? input['agent_type']) : ''
  return `${type === '' ? 'agent' : type}#${id}`
}
