import { withSkills, type ModelCall, type RecordTable, type ShownCall, type ShownResult } from '../engines/stream.ts'
import { isJsonObject, stringOf, stringsIn } from '../lib/json.ts'
import { withoutSpace } from '../lib/text.ts'
import {
  COMPACTION,
  type Conversation,
  type ObservedResult,
  type ObservedThread,
  type ObservedTurn,
} from '../recordings/conversation.ts'
import type { AnswerBlock } from '../recordings/messages.ts'
import type { OtherRequest, UnnumberedEvent } from '../transcript/transcript.ts'
import {
  callsIn,
  pairCalls,
  readServerBlock,
  weaveStream,
  type CallPairs,
  type ShownRun,
  type WovenEvents,
} from './weave-stream.ts'

/** A run as the gateway saw it. */
export interface BuiltTranscript extends WovenEvents {
  readonly output: string
  readonly finalMessage: string
  readonly otherRequests: readonly OtherRequest[]
  /** Why the run is undecidable, as a sentence; `null` when it is not. */
  readonly problem: string | null
}

/**
 * Builds the transcript of a run from its conversation: messages, calls and results of the main thread and of sub-agents.
 * The stream adds what it alone knows: times, notices, results that no later request carried, and calls of scripts. A tool
 * can write to the stream, so what else it claims counts for nothing.
 */
export function buildTranscript(conversation: Conversation, shown: ShownRun, table: RecordTable): BuiltTranscript {
  const { threads, prompts = [] } = conversation
  const main = threads.find(({ thread }) => thread === 'main')
  const lastShown = shown.events.findLast((event) => event.kind === 'message' && event.agent === null)
  const path = sessionPath(main ?? NO_THREAD, lastShown?.kind === 'message' ? lastShown.text : null)
  const asides = threads.flatMap(({ thread, turns }) => (thread === COMPACTION ? turns : []))
  const pairs = pairCalls(conversation, shown.events, table)
  const agents = nameAgents(threads, shown.events)
  const steps = [
    ...(main === undefined ? [] : stepsOf({ agent: null, path, asides, pairs, table })),
    ...[...agents].flatMap(([thread, agent]) =>
      stepsOf({ agent, path: sessionPath(thread, null), asides, pairs, table }),
    ),
    ...shown.events
      .filter((event) => event.kind === 'prompt')
      // Before the first request that follows it.
      .map((event): Step => ({ order: (prompts[event.turn - 1] ?? 0) - 0.5, events: [event] })),
  ].toSorted((a, b) => a.order - b.order)
  const made = [...path.answers.values()].flatMap(callsIn)
  const built = steps.flatMap(({ events }) => events)
  const said = [...path.answers].toSorted(([a], [b]) => a.order - b.order).flatMap(([, content]) => textOf(content))
  return {
    ...weaveStream(built, shown, { pairs, table, made }),
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

const NO_THREAD: ObservedThread = { thread: 'main', given: null, turns: [] }

function textOf(content: readonly AnswerBlock[]): readonly string[] {
  const texts = content.flatMap((block) => (block.kind === 'text' && block.text !== '' ? [block.text] : []))
  return texts.length === 0 ? [] : [texts.join('\n')]
}

/** Events that came with one request: the results that it carried, then its answer. */
interface Step {
  readonly order: number
  readonly events: readonly UnnumberedEvent[]
}

interface ThreadParts {
  readonly agent: string | null
  readonly path: ReturnType<typeof sessionPath>
  /** All requests for a summary, of which one may be the only one that carried a result. */
  readonly asides: readonly ObservedTurn[]
  readonly pairs: CallPairs
  readonly table: RecordTable
}

function stepsOf({ agent, path, asides, pairs, table }: ThreadParts): readonly Step[] {
  const calls = new Map([...path.answers.values()].flatMap(callsIn).map((call) => [call.id, call]))
  const resultsByTurn = resultsOf(path, asides)
  return [...path.ownTurns, ...asides].map((turn) => {
    const injected =
      agent === null && !asides.includes(turn) && isFollowed(path, turn)
        ? turn.texts.flatMap((text) => table.skillIn?.(text) ?? [])
        : []
    const carried = (resultsByTurn.get(turn) ?? []).flatMap((result) => {
      const call = calls.get(result.id)
      return call === undefined ? [] : resultEvents(call, result, { agent, pairs, table })
    })
    const said = (path.answers.get(turn) ?? []).flatMap((block): readonly UnnumberedEvent[] => {
      if (block.kind === 'text')
        return block.text.trim() === '' ? [] : [{ kind: 'message', agent, text: block.text, from: 'model' }]
      if (block.kind === 'tool-call') return [callEvent(block, { agent, pairs, table })]
      const carriedOut = block.kind === 'other' ? readServerBlock(block) : null
      if (carriedOut === null) return []
      if ('kind' in carriedOut) return [callEvent(carriedOut, { agent, pairs, table })]
      return [{ kind: 'tool-result', agent, ...carriedOut, blockedBy: null, from: 'model' }]
    })
    const used = injected.map((skill): UnnumberedEvent => {
      return { kind: 'skill-used', agent, skill, via: 'tool', from: 'given to the model' }
    })
    return { order: turn.order, events: [...used, ...carried, ...said] }
  })
}

/** The results of a session by the turn that carried them first; one that a session went on from is sure to be its own. */
function resultsOf(
  { ownTurns, answers }: ThreadParts['path'],
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

// The engine puts a skill into what its session goes on from; a tool that asks beside it could name any.
function isFollowed({ ownTurns, answers }: ThreadParts['path'], turn: ObservedTurn): boolean {
  return turn === ownTurns[0] || answers.has(turn)
}

type CallParts = Pick<ThreadParts, 'agent' | 'pairs' | 'table'>

function callEvent(call: ModelCall, { agent, pairs, table }: CallParts): ShownCall {
  const shown = pairs.shownOf(call.id)
  const { tool, input } = table.callOf(call)
  const isSame = shown !== undefined && table.plainTool(shown.tool) === table.plainTool(tool)
  return {
    kind: 'tool-call',
    agent,
    id: call.id,
    tool: isSame ? shown.tool : tool,
    input: isSame && !isJsonObject(input) ? shown.input : input,
    from: 'model',
  }
}

function resultEvents(
  call: ModelCall,
  observed: ObservedResult,
  { agent, pairs, table }: CallParts,
): readonly UnnumberedEvent[] {
  const facts = table.resultOf(observed, pairs.resultOf(call.id))
  const from = 'given to the model'
  const refused = (table.refusedIn?.(call, facts.text) ?? []).flatMap(({ tool, input, text }, index) => {
    const id = `${call.id}/${index + 1}`
    return [
      { kind: 'tool-call', agent, id, tool, input, from },
      { kind: 'tool-result', agent, id, text, isError: true, blockedBy: 'hook', from },
    ] as const
  })
  const result: ShownResult = { kind: 'tool-result', agent, id: call.id, ...facts, from }
  return [...refused, ...withSkills(result, callEvent(call, { agent, pairs, table }), table)]
}

/**
 * Names sub-agents by their type and the call that started them, which is the same in every replay. Where no call holds
 * what one was given, such as for a skill that runs as a sub-agent, the engine's stream says whose it is.
 */
function nameAgents(
  threads: Conversation['threads'],
  events: readonly UnnumberedEvent[],
): ReadonlyMap<ObservedThread, string> {
  const calls = threads
    .filter(({ thread }) => thread === 'main' || thread === 'agent')
    .flatMap((thread) => callsOf(thread).map((call) => ({ call, thread })))
  const names = new Map<ObservedThread, string>()
  const taken = new Set<ModelCall>()
  for (const thread of threads.filter((one) => one.thread === 'agent')) {
    const isOrigin = (one: (typeof calls)[number]): boolean =>
      one.thread !== thread &&
      DELEGATES.test(one.call.name) &&
      !taken.has(one.call) &&
      stringsIn(one.call.input).some((text) => text.trim() === thread.given)
    const origin = calls.find(isOrigin)?.call
    if (origin !== undefined) taken.add(origin)
    const name = shownName(thread, origin, events) ?? (origin === undefined ? null : nameOf(origin))
    if (name !== null) names.set(thread, name)
  }
  return names
}

/** Tools by which models start sub-agents, in the names of the engines. */
const DELEGATES = /^(?:Agent|Task|task|(?:.*\.)?spawn_agent)$/

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
  const isOwnEvent = (event: UnnumberedEvent): boolean => {
    if (event.agent === null) return false
    if (origin !== undefined) return event.agent.endsWith(`#${origin.id}`)
    return content.some(
      (block) =>
        (block.kind === 'tool-call' && event.kind === block.kind && event.id === block.id) ||
        (block.kind === 'text' && event.kind === 'message' && event.text.trim() === block.text.trim()),
    )
  }
  return events.find(isOwnEvent)?.agent ?? null
}

/** What a session went on with of a thread, and what else was asked there. */
interface SessionPath {
  /** The answers that the session went on with, by their turns. */
  readonly answers: ReadonlyMap<ObservedTurn, readonly AnswerBlock[]>
  /** Turns of the session, also those that it did not go on from, in order. */
  readonly ownTurns: readonly ObservedTurn[]
  /** Why the last answer is unknown, as a sentence; `null` when it is known. */
  readonly problem: string | null
}

/**
 * Follows a session from its last answer back to its first request. What it did not go on from, and what a tool asked in
 * a conversation of its own, is no part of it. Where there are several last answers the one counts that the engine shows.
 *
 * @param lastShown - the last words of the engine's stream; `null` where it says nothing of the thread.
 */
function sessionPath({ turns }: ObservedThread, lastShown: string | null): SessionPath {
  const ownTurns = turns.filter((_, index) => isOwn(turns, index))
  const shown = withoutSpace(lastShown ?? '')
  const isShown = (content: readonly AnswerBlock[]): boolean => shown !== '' && wordsOf(content).endsWith(shown)
  // An answer that says nothing, or has not come, ends nothing.
  const telling = ownTurns.filter((turn) => contentsOf(turn).some(saysSomething))
  const goneOn = new Set(telling.map(({ after }) => (after === null ? undefined : turns[after])))
  const ends = telling.filter((turn) => !goneOn.has(turn))
  const isEnd = (turn: ObservedTurn): boolean => contentsOf(turn).some(isShown)
  const end = ends.findLast(isEnd) ?? ends.at(-1)

  const answers = new Map<ObservedTurn, readonly AnswerBlock[]>()
  for (let turn = end; turn !== undefined; turn = turn.after === null ? undefined : turns[turn.after]) {
    const content = (turn === end ? contentsOf(turn).find(isShown) : undefined) ?? contentsOf(turn)[0]
    if (content !== undefined) answers.set(turn, content)
  }
  const others = turns.filter((turn) => !ownTurns.includes(turn))
  const isUnclear = shown !== '' && end !== undefined && !isEnd(end) && (ends.length > 1 || others.some(isEnd))
  const last = ownTurns.at(-1)
  const isCut = last !== undefined && contentsOf(last).length === 0 && last.others !== undefined
  return { answers, ownTurns, problem: isCut ? CUT : isUnclear ? UNCLEAR : null }
}

const CUT = 'The last answer of the model broke off, and the engine went on as if it were complete.'
const UNCLEAR =
  'The gateway saw more than one answer that could be the last of the session, and the engine shows none of them as its last words.'

function isOwn(turns: readonly ObservedTurn[], index: number): boolean {
  const after = turns[index]?.after ?? null
  return after === null ? index === 0 : isOwn(turns, after)
}

/** What may be the answer of a turn, the likely one first. What came of one that broke off counts once it was gone on from. */
function contentsOf({ answer, others = [], taken }: ObservedTurn): readonly (readonly AnswerBlock[])[] {
  if (taken !== undefined) return [taken]
  return answer === null ? [] : [answer.content, ...others]
}

function saysSomething(content: readonly AnswerBlock[]): boolean {
  return content.some(({ kind }) => kind !== 'text' && kind !== 'thinking') || wordsOf(content) !== ''
}

function wordsOf(content: readonly AnswerBlock[]): string {
  return withoutSpace(content.map((block) => (block.kind === 'text' ? block.text : '')).join(''))
}
