import type { ModelCall, RecordTable, ShownCall, ShownResult } from '../engines/stream.ts'
import { isJsonObject } from '../lib/json.ts'
import {
  COMPACTION,
  type Conversation,
  type ObservedResult,
  type ObservedThread,
  type ObservedTurn,
} from '../recordings/conversation.ts'
import type { AnswerBlock } from '../recordings/messages.ts'
import type { OtherRequest, UnnumberedEvent } from '../transcript/transcript.ts'
import { addRemarks } from './add-remarks.ts'
import { callsIn, readServerBlock } from './model-calls.ts'
import { nameAgents, type NamedAgent } from './name-agents.ts'
import { sessionPath, type SessionPath } from './session-path.ts'
import { readTold, withSkills, type Told } from './told.ts'

/** What a session did. */
export interface RunRecord {
  readonly events: readonly UnnumberedEvent[]
  /** When each event was seen, in milliseconds since 1970. */
  readonly times: ReadonlyMap<UnnumberedEvent, number>
  readonly output: string
  readonly finalMessage: string
  readonly otherRequests: readonly OtherRequest[]
  /** Why the run is undecidable, as a sentence; `null` when it is not. */
  readonly problem: string | null
}

/**
 * Builds the transcript of a run from its conversation: messages, calls and results of the main thread and of sub-agents.
 * The stream adds what it alone knows: remarks, what stopped a call, results that no later request carried, and calls of
 * scripts. What else it claims counts for nothing.
 */
export function buildTranscript(
  conversation: Conversation,
  stream: readonly UnnumberedEvent[],
  table: RecordTable,
): RunRecord {
  const { threads, prompts = [] } = conversation
  const main = threads.find(({ thread }) => thread === 'main') ?? NO_THREAD
  const path = sessionPath(main)
  const asides = threads.flatMap(({ thread, turns }) => (thread === COMPACTION ? turns : []))
  const agents = nameAgents(threads, table)
  const parts = { asides, told: readTold(stream, table), table }
  const steps = [
    ...stepsOf({ ...parts, agent: null, path }),
    ...agents.flatMap(({ name, thread }) => stepsOf({ ...parts, agent: name, path: sessionPath(thread) })),
    ...stream
      .filter((event) => event.kind === 'prompt')
      // Before the first request that follows it.
      .map((event): Step => ({ order: (prompts[event.turn - 1] ?? 0) - 0.5, at: undefined, events: [event] })),
  ]
  const sorted = [...steps, ...begunSkills(agents, steps)].toSorted((a, b) => a.order - b.order)
  const said = [...path.answers].toSorted(([a], [b]) => a.order - b.order).flatMap(([, content]) => textOf(content))
  return {
    events: addRemarks(
      sorted.flatMap(({ events }) => events),
      stream,
      table,
    ),
    times: new Map(
      sorted.flatMap(({ at, events }) => (at === undefined ? [] : events.map((event) => [event, at] as const))),
    ),
    output: said.join('\n\n'),
    finalMessage: said.at(-1) ?? '',
    problem: path.problem,
    otherRequests: threads.flatMap(({ thread, turns }) =>
      turns.flatMap((turn) => {
        const isOther = thread.startsWith('side:') || (thread === 'main' && !path.ownTurns.includes(turn))
        const answer = turn.answer === null ? null : textOf(turn.answer.content).join()
        return isOther ? [{ thread, model: turn.model, answer }] : []
      }),
    ),
  }
}

// A skill that runs as a sub-agent is in use before its call has a result.
function begunSkills(agents: readonly NamedAgent[], steps: readonly Step[]): readonly Step[] {
  const ended = new Set(
    steps.flatMap(({ events }) => events.flatMap((event) => (event.kind === 'tool-result' ? [event.id] : []))),
  )
  return agents.flatMap(({ thread, call, caller, skill }): readonly Step[] => {
    if (skill === null || ended.has(call.id)) return []
    const { order = 0, askedAt } = thread.turns[0] ?? {}
    const agent = agents.find((one) => one.thread === caller)?.name ?? null
    return [{ order: order - 0.25, at: askedAt, events: [{ kind: 'skill-used', agent, ...skill, from: 'model' }] }]
  })
}

const NO_THREAD: ObservedThread = { thread: 'main', given: null, turns: [] }

function textOf(content: readonly AnswerBlock[]): readonly string[] {
  const texts = content.flatMap((block) => (block.kind === 'text' && block.text !== '' ? [block.text] : []))
  return texts.length === 0 ? [] : [texts.join('\n')]
}

/** Events that came at one time. */
interface Step {
  readonly order: number
  /** In milliseconds since 1970; `undefined` where that is not known. */
  readonly at: number | undefined
  readonly events: readonly UnnumberedEvent[]
}

interface ThreadParts {
  readonly agent: string | null
  readonly path: SessionPath
  /** All requests for a summary, of which one may be the only one that carried a result. */
  readonly asides: readonly ObservedTurn[]
  readonly told: Told
  readonly table: RecordTable
}

/** The steps of a thread: what each request carried, its answer, and results that no request carried. */
function stepsOf(parts: ThreadParts): readonly Step[] {
  const { agent, path, asides, told, table } = parts
  const calls = new Map([...path.answers.values()].flatMap(callsIn).map((call) => [call.id, call]))
  const resultsByTurn = resultsOf(path, asides)
  const ended = new Set([...resultsByTurn.values()].flatMap((results) => results.map(({ id }) => id)))
  return [...path.ownTurns, ...asides].flatMap((turn): readonly Step[] => {
    const { order, askedAt, answeredAt } = turn
    const carried = (resultsByTurn.get(turn) ?? []).flatMap((result) => {
      const call = calls.get(result.id)
      return call === undefined ? [] : resultEvents(call, result, parts)
    })
    const answer = path.answers.get(turn) ?? []
    const last = callsIn(answer).flatMap((call) => {
      const result = ended.has(call.id) ? undefined : told.results.get(call.id)
      return result === undefined ? [] : withSkills({ ...result, agent, from: 'cli' }, callEvent(call, parts), table)
    })
    return [
      { order, at: askedAt, events: [...injectedSkills(turn, parts), ...carried] },
      { order, at: answeredAt, events: answer.flatMap((block) => blockEvents(block, parts)) },
      { order: order + 0.25, at: undefined, events: last },
    ]
  })
}

// The engine puts a skill into what its session goes on from; a tool that asks beside it could name any.
function injectedSkills(turn: ObservedTurn, { agent, asides, path, table }: ThreadParts): readonly UnnumberedEvent[] {
  const isFollowed = turn === path.ownTurns[0] || path.answers.has(turn)
  if (agent !== null || asides.includes(turn) || !isFollowed) return []
  const skills = turn.texts.flatMap((text) => table.skillIn?.(text) ?? [])
  return skills.map((skill) => ({ kind: 'skill-used', agent, skill, via: 'tool', from: 'given to the model' }))
}

function blockEvents(block: AnswerBlock, parts: CallParts): readonly UnnumberedEvent[] {
  const { agent } = parts
  if (block.kind === 'text')
    return block.text.trim() === '' ? [] : [{ kind: 'message', agent, text: block.text, from: 'model' }]
  if (block.kind === 'tool-call') return [callEvent(block, parts)]
  if (block.kind !== 'other') return []
  return readServerBlock(block).map((one) =>
    'kind' in one ? callEvent(one, parts) : { kind: 'tool-result', agent, ...one, blockedBy: null, from: 'model' },
  )
}

/** The results of a session by the turn that carried them first; one that a session went on from is sure to be its own. */
function resultsOf(
  { ownTurns, answers }: SessionPath,
  asides: readonly ObservedTurn[],
): ReadonlyMap<unknown, readonly ObservedResult[]> {
  const taken = new Map<string, { readonly turn: unknown; readonly result: ObservedResult }>()
  const carried = [...asides, ...ownTurns].map((turn) => ({
    turn,
    results: [...turn.results, ...(turn.changed ?? [])],
  }))
  for (const { turn, results } of carried.filter((one) => !answers.has(one.turn)))
    for (const result of results) taken.set(result.id, { turn, result })
  for (const { turn, results } of carried.filter((one) => answers.has(one.turn)).toReversed())
    for (const result of results) taken.set(result.id, { turn, result })
  const byTurn = new Map<unknown, ObservedResult[]>()
  for (const { turn, result } of taken.values()) byTurn.set(turn, [...(byTurn.get(turn) ?? []), result])
  return byTurn
}

type CallParts = Pick<ThreadParts, 'agent' | 'table' | 'told'>

function callEvent(call: ModelCall, { agent, table, told }: CallParts): ShownCall {
  const { tool, input } = table.callOf(call)
  return {
    kind: 'tool-call',
    agent,
    id: call.id,
    tool: told.toolNamed(tool),
    input: isJsonObject(input) ? input : (told.calls.get(call.id)?.input ?? input),
    from: 'model',
  }
}

function resultEvents(call: ModelCall, observed: ObservedResult, parts: CallParts): readonly UnnumberedEvent[] {
  const { agent, table, told } = parts
  const facts = table.resultOf(observed, told.results.get(call.id))
  const from = 'given to the model'
  const refused = (table.refusedIn?.(call, facts.text) ?? []).flatMap(({ tool, input, text }, index) => {
    const id = `${call.id}/${index + 1}`
    return [
      { kind: 'tool-call', agent, id, tool, input, from },
      { kind: 'tool-result', agent, id, text, isError: true, blockedBy: 'hook', from },
    ] as const
  })
  const result: ShownResult = { kind: 'tool-result', agent, id: call.id, ...facts, from }
  return [...refused, ...withSkills(result, callEvent(call, parts), table)]
}
