import type { PageEvent } from '../../report/page/parse-transcript.ts'

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
