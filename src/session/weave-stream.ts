import { mergeDecisions, type HookContext } from '../engines/hooks/hook-decisions.ts'
import type { RecordedDecision } from '../engines/hooks/hook-plan.ts'
import { withSkills, type ModelCall, type RecordTable, type ShownCall, type ShownResult } from '../engines/stream.ts'
import { sumOf } from '../lib/lists.ts'
import { objectOf, objectsOf, stringOf } from '../lib/json.ts'
import { withoutSpace } from '../lib/text.ts'
import type { Conversation, ObservedResult } from '../recordings/conversation.ts'
import type { AnswerBlock } from '../recordings/messages.ts'
import { plainName } from '../transcript/select.ts'
import type { AgentRun, FileChanges, UnnumberedEvent } from '../transcript/transcript.ts'

/** A message of the user, as an event. */
export function promptEvent(turn: number, text: string): UnnumberedEvent {
  return { kind: 'prompt', agent: null, turn, text, from: 'given to the model' }
}

/** As {@link mergeDecisions}, each decision in the turn in which it was made; `before`: how many came before each turn. */
export function mergeTurns(
  events: readonly UnnumberedEvent[],
  decisions: readonly RecordedDecision[],
  before: readonly number[] = [0],
  context: HookContext,
): readonly UnnumberedEvent[] {
  const starts = events.flatMap((event, index) => (event.kind === 'prompt' ? [index] : []))
  if (starts.length < 2) return mergeDecisions(events, decisions, context)
  return starts.flatMap((start, turn) => {
    const merged = mergeDecisions(
      events.slice(turn === 0 ? 0 : start + 1, starts[turn + 1]),
      decisions.slice(before[turn], before[turn + 1]),
      context,
    )
    return turn === 0 ? merged : [...events.slice(start, start + 1), ...merged]
  })
}

/** What the main thread says in these events. */
export function outputOf(events: readonly UnnumberedEvent[]): Pick<AgentRun, 'finalMessage' | 'output'> {
  const said = events.flatMap((event) => (event.kind === 'message' && event.agent === null ? [event.text] : []))
  return { output: said.join('\n\n'), finalMessage: said.at(-1) ?? '' }
}

/** The last turn of a run so far, which has followed these; `files` is what has changed in it. */
export function turnOf(run: AgentRun, earlier: readonly AgentRun[], files: FileChanges): AgentRun {
  const { eventTimes: _times, trace: _trace, transcript: all, usage, ...rest } = run
  const transcript = earlier.length === 0 ? all : all.slice(all.findLastIndex(({ kind }) => kind === 'prompt'))
  const ofEarlier = (figure: (turn: AgentRun) => number | null): number => sumOf(earlier, (turn) => figure(turn) ?? 0)
  return {
    ...rest,
    transcript,
    ...outputOf(transcript),
    files,
    usage:
      usage === null
        ? null
        : {
            inputTokens: usage.inputTokens - ofEarlier((turn) => turn.usage?.inputTokens ?? 0),
            outputTokens: usage.outputTokens - ofEarlier((turn) => turn.usage?.outputTokens ?? 0),
            cacheReadTokens: usage.cacheReadTokens - ofEarlier((turn) => turn.usage?.cacheReadTokens ?? 0),
            cacheWriteTokens: usage.cacheWriteTokens - ofEarlier((turn) => turn.usage?.cacheWriteTokens ?? 0),
          },
    costUsd: run.costUsd === null ? null : run.costUsd - ofEarlier((turn) => turn.costUsd),
    requests: run.requests - ofEarlier((turn) => turn.requests),
    durationMs: Math.max(0, run.durationMs - ofEarlier((turn) => turn.durationMs)),
  }
}

/** What an engine's stream tells of a run. */
export interface ShownRun {
  readonly events: readonly UnnumberedEvent[]
  readonly times?: ReadonlyMap<UnnumberedEvent, number>
}

/** The events of a run, with when they were seen. */
export interface WovenEvents {
  readonly events: readonly UnnumberedEvent[]
  readonly times: ReadonlyMap<UnnumberedEvent, number>
}

/** What the events of a stream are matched with. */
interface WeaveParts {
  readonly pairs: CallPairs
  readonly table: RecordTable
  /** All calls of the main thread. */
  readonly made: readonly ModelCall[]
}

/** Puts what only the stream knows between the events that the gateway saw. */
export function weaveStream(
  built: readonly UnnumberedEvent[],
  shown: ShownRun,
  { pairs, table, made }: WeaveParts,
): WovenEvents {
  const places = new Map(built.map((event, index) => [keyOf(event), index]))
  const calls = built.filter((event) => event.kind === 'tool-call')
  /** Calls whose result no request carried, and calls of scripts. */
  const open = new Map(calls.filter(({ id }) => !places.has(`tool-result ${id}`)).map((call) => [call.id, call]))
  const added = new Map<number, UnnumberedEvent[]>()
  const times = new Map<UnnumberedEvent, number>()
  /** Place of the last event that both records have: what follows it in the stream is put behind it. */
  let at = -1
  let messageAt = -1

  const placeOf = (event: UnnumberedEvent): number | undefined => {
    if (event.kind === 'prompt') return places.get(keyOf(event))
    if (event.kind !== 'message')
      return 'id' in event ? places.get(`${event.kind} ${pairs.callOf(event.id)?.id ?? event.id}`) : undefined
    const isSame = (one: UnnumberedEvent): boolean =>
      one.kind === 'message' && one.agent === event.agent && withoutSpace(one.text) === withoutSpace(event.text)
    const place = built.findIndex((one, index) => index > messageAt && isSame(one))
    if (place >= 0) messageAt = place
    return place < 0 ? undefined : place
  }
  // The first script from here on that could have made a call, else one that goes on.
  const scriptOf = (event: ShownCall): number | undefined => {
    const scripts = made.filter((one) => table.couldMake?.(one, event) === true)
    const found = scripts.flatMap(({ id }) => places.get(`tool-call ${id}`) ?? [])
    return found.find((place) => place >= at) ?? found.at(-1)
  }
  /** What the stream alone knows. Words, calls and results that the gateway has not seen count for nothing. */
  const alone = (event: UnnumberedEvent): readonly UnnumberedEvent[] => {
    if (event.kind === 'message') return []
    if (event.kind === 'tool-call') {
      const script = scriptOf(event)
      if (script === undefined) return []
      at = Math.max(at, script)
      open.set(event.id, event)
      return [event]
    }
    if (event.kind === 'tool-result') {
      const call = open.get(pairs.callOf(event.id)?.id ?? event.id)
      if (call === undefined || !open.delete(call.id)) return []
      return withSkills({ ...event, id: call.id, agent: call.agent, from: 'cli' }, call, table)
    }
    if (event.kind !== 'skill-used') return [event]
    // A skill that runs as a sub-agent is in use before its call has a result.
    const uses = (call: ShownCall): boolean =>
      table.skillsOf(call, '').some(({ skill }) => plainName(skill) === plainName(event.skill))
    return [...open.values()].some(uses) ? [event] : []
  }

  for (const event of shown.events) {
    const place = placeOf(event)
    const time = shown.times?.get(event)
    const same = place === undefined ? undefined : built[place]
    if (place !== undefined) at = Math.max(at, place)
    const woven = same === undefined ? alone(event).map((one): UnnumberedEvent => ({ ...one, from: 'cli' })) : [same]
    if (time !== undefined) for (const one of woven) times.set(one, time)
    if (same === undefined) added.set(at, [...(added.get(at) ?? []), ...woven])
  }
  const addedAt = (index: number): readonly UnnumberedEvent[] => added.get(index) ?? []
  return { events: [...addedAt(-1), ...built.flatMap((event, index) => [event, ...addedAt(index)])], times }
}

function keyOf(event: UnnumberedEvent): string {
  if (event.kind === 'prompt') return `prompt ${event.turn}`
  return 'id' in event ? `${event.kind} ${event.id}` : ''
}

/** Which call of an engine's stream is which one of the model. */
export interface CallPairs {
  shownOf(modelId: string): ShownCall | undefined
  /** What the stream says of its result. */
  resultOf(modelId: string): ShownResult | undefined
  callOf(shownId: string): ModelCall | undefined
}

/** Pairs calls by their ids, or in order where the engine numbers them in its own way. */
export function pairCalls(
  { threads }: Pick<Conversation, 'threads'>,
  events: readonly UnnumberedEvent[],
  { isCall }: Pick<RecordTable, 'isCall'>,
): CallPairs {
  const shown = events.filter((event) => event.kind === 'tool-call')
  const ended = new Map(events.flatMap((event) => (event.kind === 'tool-result' ? [[event.id, event] as const] : [])))
  const turns = threads
    .filter(({ thread }) => isCall === undefined || thread === 'main')
    .flatMap((thread) => thread.turns)
  const results = new Map(turns.flatMap((turn) => turn.results.map((result) => [result.id, result])))
  const made = turns.flatMap(({ answer, taken, others = [] }) =>
    [taken ?? answer?.content ?? [], ...others].flatMap((content) => [...callsIn(content), ...serverCallsIn(content)]),
  )
  const byModel = new Map<string, ShownCall>()
  const byShown = new Map<string, ModelCall>()
  for (const call of made) {
    const one = shown.find(
      (event) =>
        !byShown.has(event.id) &&
        (isCall === undefined ? event.id === call.id : isCall(event, call, results.get(call.id))),
    )
    if (one === undefined || byModel.has(call.id)) continue
    byModel.set(call.id, one)
    byShown.set(one.id, call)
  }
  return {
    shownOf: (id) => byModel.get(id),
    resultOf: (id) => ended.get(byModel.get(id)?.id ?? ''),
    callOf: (id) => byShown.get(id),
  }
}

/** The calls of an answer. */
export function callsIn(content: readonly AnswerBlock[]): readonly ModelCall[] {
  return content.filter((block) => block.kind === 'tool-call')
}

/** A call that the API itself carried out, such as a search, or what it found; `null` for any other block. */
export function readServerBlock({
  type,
  value,
}: Extract<AnswerBlock, { kind: 'other' }>): ModelCall | ObservedResult | null {
  const { id, name, input, tool_use_id: ofCall, content = null, action = null } = objectOf(value)
  if (type === 'server_tool_use')
    return { kind: 'tool-call', id: stringOf(id), name: stringOf(name), input: input ?? null }
  if (type.endsWith('_tool_result') && ofCall !== undefined) {
    const text = objectsOf(content).map(({ title, url }) => [title, url].map(stringOf).join(' '))
    const isError = stringOf(objectOf(content)['type']).endsWith('_error')
    return { id: stringOf(ofCall), text: Array.isArray(content) ? text.join('\n') : JSON.stringify(content), isError }
  }
  if (!type.endsWith('_call') || typeof id !== 'string') return null
  return { kind: 'tool-call', id, name: type.replace(/_call$/, ''), input: action }
}

function serverCallsIn(content: readonly AnswerBlock[]): readonly ModelCall[] {
  const blocks = content.flatMap((block) => (block.kind === 'other' ? (readServerBlock(block) ?? []) : []))
  return blocks.filter((block) => 'kind' in block)
}
