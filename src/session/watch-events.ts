import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engines/engine.ts'
import type { StreamReader } from '../engines/stream.ts'
import type { AcquiredLease } from '../gateway/control/client.ts'
import type { Conversation, ObservedThread } from '../recordings/conversation.ts'
import { decidesRun } from '../transcript/select.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import type { AgentRequest } from './agent-request.ts'
import { ignoreLostGateway } from './run-program.ts'
import { pairCalls } from './weave-stream.ts'

/** The events of one run as they come. */
export interface WatchedEvents {
  /** Takes one line of the engine's stream. */
  readonly line: (text: string) => void
  /** What was seen so far. */
  readonly events: readonly UnnumberedEvent[]
  /** Aborts when the run may be ended. */
  readonly stop: AbortSignal
  /** Whether the deciding event was seen. */
  readonly isOver: () => boolean
  /** When each event was seen, in milliseconds after the start. */
  readonly times: ReadonlyMap<UnnumberedEvent, number>
  /** Takes an event that no line tells. */
  readonly add: (event: UnnumberedEvent) => void
}

/**
 * Reads a run up to the event that decides it, if there is to be one. What the engine gets done before it is ended is
 * left out, so that a run and its replay show the same.
 */
export function watchEvents(
  reader: Pick<StreamReader, 'line'>,
  isLast: (event: UnnumberedEvent) => boolean,
  settled: () => Promise<void>,
): WatchedEvents {
  const events: UnnumberedEvent[] = []
  const times = new Map<UnnumberedEvent, number>()
  const startedAt = performance.now()
  const stop = new AbortController()
  let isOver = false
  const take = (event: UnnumberedEvent): void => {
    if (isOver) return
    events.push(event)
    times.set(event, Math.round(performance.now() - startedAt))
    if (!isLast(event)) return
    isOver = true
    events.push(ENDED)
    void settled()
      .catch(ignoreLostGateway)
      .finally(() => stop.abort())
  }
  return {
    line: (text) => {
      if (!isOver) for (const event of reader.line(text)) take(event)
    },
    events,
    times,
    stop: stop.signal,
    isOver: () => isOver,
    add: take,
  }
}

/** Tells which event ends a run before its own end. */
export function decidesEvent({
  endsWith,
  abortsAfter,
}: Pick<AgentRequest, 'abortsAfter' | 'endsWith'>): (event: UnnumberedEvent) => boolean {
  return (event) => (endsWith !== undefined && decidesRun(event, endsWith)) || abortsAfter?.(event) === true
}

const ENDED: UnnumberedEvent = {
  kind: 'notice',
  agent: null,
  text: 'The run was ended here, because later events cannot change its result.',
}

/**
 * What was asked and answered up to the last call that the events show. How far a run got beyond that before it was
 * ended is chance, and so is who was refused meanwhile.
 */
export function untilLastCall({ threads }: Conversation, events: readonly UnnumberedEvent[]): Conversation {
  const shown = threads.map((thread) => {
    const last = thread.thread === 'main' ? lastTurn(thread, events) : -1
    return last < 0 ? thread : { ...thread, turns: thread.turns.slice(0, last + 1) }
  })
  return { threads: shown, unanswered: [] }
}

/**
 * Waits until the answer that asked for the last call was read to its end, which may come after the call: a recording
 * of the run must hold it. Not for ever, since an upstream may never end it.
 */
export async function untilAnswered(
  lease: Listened,
  eventsOf: (conversation: Conversation) => readonly UnnumberedEvent[],
): Promise<void> {
  await until(lease, (observed) => {
    const events = eventsOf(observed)
    return observed.threads.some((thread) => thread.thread === 'main' && lastTurn(thread, events) >= 0)
  })
}

/** Waits until the last answer of a turn is read to its end, which may come after the turn; returns the conversation. */
export function untilQuiet(lease: Listened): Promise<Conversation> {
  return until(lease, ({ threads }) => threads.find(({ thread }) => thread === 'main')?.turns.at(-1)?.answer !== null)
}

type Listened = Pick<AcquiredLease, 'conversation'>

async function until(lease: Listened, isDone: (observed: Conversation) => boolean): Promise<Conversation> {
  let observed = await lease.conversation()
  for (let attempt = 1; attempt < ATTEMPTS && !isDone(observed); attempt += 1) {
    await sleep(PAUSE_MS)
    observed = await lease.conversation()
  }
  return observed
}

/** The events of a stream with the ids that the model gave its calls: some engines number them in their own way. */
export function withModelIds(
  { recordTable }: Pick<Engine, 'recordTable'>,
  events: readonly UnnumberedEvent[],
  conversation: Conversation,
): readonly UnnumberedEvent[] {
  if (recordTable?.isCall === undefined) return events
  const pairs = pairCalls(conversation, events, recordTable)
  return events.map((event) =>
    event.kind === 'tool-call' ? { ...event, id: pairs.callOf(event.id)?.id ?? event.id } : event,
  )
}

const ATTEMPTS = 100
const PAUSE_MS = 20

function lastTurn({ turns }: ObservedThread, events: readonly UnnumberedEvent[]): number {
  const last = events.findLast((event) => event.kind === 'tool-call' && event.agent === null)
  if (last?.kind !== 'tool-call') return -1
  return turns.findIndex(
    ({ answer }) => answer?.content.some((block) => block.kind === 'tool-call' && block.id === last.id) === true,
  )
}
