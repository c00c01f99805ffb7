import { setTimeout as sleep } from 'node:timers/promises'
import { pairCalls } from './pair-calls.ts'
import type { Engine } from '../engines/engine.ts'
import type { Conversation, ObservedThread } from '../conversation/conversation.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

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
  conversation: () => Promise<Conversation>,
  eventsOf: (conversation: Conversation) => readonly UnnumberedEvent[],
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const observed = await conversation()
    const events = eventsOf(observed)
    if (observed.threads.some((thread) => thread.thread === 'main' && lastTurn(thread, events) >= 0)) return
    await sleep(PAUSE_MS)
  }
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
