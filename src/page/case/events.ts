import type { PageEvent, PageRun } from '../../report/page/page-data.ts'
import { visibleLine } from '../text.tsx'

/** Which events of a run to show. */
export interface EventFilter {
  readonly kind: EventGroup
  /** Name of a sub-agent, or the main thread; `null` for all. */
  readonly thread: string | null
}

/** A group of events that a reader may look for. */
export type EventGroup = 'all' | 'messages' | 'problems' | 'tools'

/** The name of the main thread in a filter: no sub-agent has it. */
export const MAIN_THREAD = ''

/** Everything. */
export const ALL_EVENTS: EventFilter = { kind: 'all', thread: null }

/** Whether an event passes a filter. */
export function isShown(event: PageEvent, { kind, thread }: EventFilter): boolean {
  return (thread === null || (event.agent ?? MAIN_THREAD) === thread) && isOf(event, kind)
}

/** How bad an event is: something was stopped, something went wrong, or neither. */
export function toneOf(event: PageEvent): '' | 'blocked' | 'error' {
  if (event.kind === 'tool-result') return event.blockedBy !== null ? 'blocked' : event.isError ? 'error' : ''
  if (event.kind === 'api-retry') return 'error'
  if (event.kind !== 'hook' || event.decision === 'allowed') return ''
  return /blocked|denied/.test(event.decision) ? 'blocked' : 'error'
}

function isOf(event: PageEvent, group: EventGroup): boolean {
  // A prompt begins a turn, and each group shows its events by turns.
  if (event.kind === 'prompt') return true
  switch (group) {
    case 'all':
      return true
    case 'messages':
      return event.kind === 'message'
    case 'tools':
      return event.kind === 'tool-call' || event.kind === 'tool-result' || event.kind === 'skill-used'
    case 'problems':
      return toneOf(event) !== ''
  }
}

/** When a step took place, in milliseconds after the start of the run. */
export interface Span {
  readonly from: number
  readonly to: number
  /** Length of the run. */
  readonly total: number
}

/** The time of each event whose time is known: a result's from its call on, any other's from the event before it in its thread. */
export function spansOf(
  { events, times }: Pick<PageRun, 'events' | 'times'>,
  duration: number | null,
): ReadonlyMap<number, Span> {
  const total = Math.max((duration ?? 0) * 1000, ...Object.values(times), 1)
  const calls = new Map<string, number>()
  const last = new Map<string | null, number>()
  const spans = new Map<number, Span>()
  for (const event of events) {
    const to = times[event.n]
    if (to === undefined) continue
    const from =
      (event.kind === 'tool-result' ? calls.get(event.id) : undefined) ?? last.get(event.agent) ?? last.get(null) ?? 0
    if (event.kind === 'tool-call') calls.set(event.id, to)
    last.set(event.agent, to)
    spans.set(event.n, { from, to, total })
  }
  return spans
}

/** A sub-agent of a run. */
export interface Thread {
  /** As the events name it: two sub-agents of one kind differ in the id behind `#`. */
  readonly agent: string
  /** From 1, in the order in which they start. */
  readonly number: number
  /** Count of its events. */
  readonly events: number
}

/** Numbers the sub-agents of a run; by the names that the events have. */
export function threadsOf(events: readonly Pick<PageEvent, 'agent'>[]): ReadonlyMap<string, Thread> {
  const threads = new Map<string, Thread>()
  for (const { agent } of events) {
    if (agent === null) continue
    const { number, events: count } = threads.get(agent) ?? { number: threads.size + 1, events: 0 }
    threads.set(agent, { agent, number, events: count + 1 })
  }
  return threads
}

/** The kind of a sub-agent, without the id of the call that started it. */
export function threadName({ agent }: Pick<Thread, 'agent'>): string {
  const [name = agent] = agent.split('#')
  return visibleLine(name === '' ? agent : name)
}
