import type { PageRun } from '../../report/page/page-data.ts'

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
