import type { PageEvent, PageRun } from '../../report/page/page-data.ts'

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
  // They part what a group shows by its turns.
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

/** A sub-agent in the timeline. */
export interface Lane {
  /** As the events name it. */
  readonly agent: string
  /** From 1, in the order in which they start: a sign that each of them has for itself. */
  readonly number: number
  /** From 1; a sub-agent that starts after another one ended may take over its column. */
  readonly column: number
  /** Indexes of its first and its last event. */
  readonly from: number
  readonly to: number
  readonly events: number
}

/** Sub-agents with their columns, the main thread not counted. */
export interface Lanes {
  readonly lanes: ReadonlyMap<string, Lane>
  readonly columns: number
}

/** Gives each sub-agent a column that no other one has at the same time. */
export function lanesOf(events: readonly Pick<PageEvent, 'agent'>[]): Lanes {
  const spans = new Map<string, { readonly from: number; to: number; events: number }>()
  for (const [index, { agent }] of events.entries()) {
    if (agent === null) continue
    const span = spans.get(agent) ?? { from: index, to: index, events: 0 }
    span.to = index
    span.events += 1
    spans.set(agent, span)
  }
  const lanes = new Map<string, Lane>()
  // Index of the last event in each column so far.
  const ends: number[] = []
  for (const [agent, { from, to, events: count }] of spans) {
    const free = ends.findIndex((end) => end < from)
    const column = free === -1 ? ends.length : free
    ends[column] = to
    lanes.set(agent, { agent, number: lanes.size + 1, column: column + 1, from, to, events: count })
  }
  return { lanes, columns: ends.length }
}

/** The sub-agents that are at work at an event, by their column. */
export function lanesAt({ lanes, columns }: Lanes, index: number): readonly (Lane | null)[] {
  const found = Array.from<Lane | null>({ length: columns }).fill(null)
  for (const lane of lanes.values()) if (lane.from <= index && index <= lane.to) found[lane.column - 1] = lane
  return found
}
