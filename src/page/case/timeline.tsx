import type { JSX } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { plural } from '../format.ts'
import { linkTo } from '../route.ts'
import { inParts, useGrowing } from '../use-growing.ts'
import { ALL_EVENTS, isShown } from './choose-events.ts'
import { lanesAt, lanesOf, type Lane, type Lanes } from './lanes.ts'
import { spansOf, type Span } from './spans.ts'
import { TimelineEvent } from './timeline-event.tsx'
import { TimelineFilters } from './timeline-filters.tsx'
import type { PageRow, PageRun } from '../../report/page/page-data.ts'
import type { PageEvent } from '../../report/page/parse-transcript.ts'

/** What happened, event by event: the main thread on the left, each sub-agent in a lane of its own. */
export function Timeline({
  side,
  row,
  run,
  scripted,
  duration,
  event,
  marked,
}: {
  readonly side: 'a' | 'b'
  readonly row: PageRow
  readonly run: PageRun
  readonly scripted: boolean
  readonly duration: number | null
  /** Number of the event that a link leads to. */
  readonly event: number | null
  /** Number of the event that holds the marked quote. */
  readonly marked: number | null
}): JSX.Element {
  const { events } = run
  const lanes = useMemo(() => lanesOf(events), [events])
  const spans = useMemo(() => spansOf(run, duration), [run, duration])
  const link = useCallback(
    (n: number) => linkTo('case', row.key, { run: String(run.index), event: String(n) }),
    [row.key, run.index],
  )
  const [filter, setFilter] = useState(ALL_EVENTS)
  // A link leads to an event, so nothing may hide it or what is around it.
  useEffect(() => setFilter(ALL_EVENTS), [run, event, marked])
  const chosen = useMemo(
    (): readonly Shown[] =>
      events.flatMap((one, index) => (isShown(one, filter) ? [{ event: one, active: lanesAt(lanes, index) }] : [])),
    [events, lanes, filter],
  )
  const parts = useMemo(() => inParts(chosen, PART), [chosen])
  const target = chosen.findIndex(({ event: one }) => one.n === Math.max(event ?? 0, marked ?? 0))
  const shown = Math.max(useGrowing(parts, 1, 2), Math.floor(target / PART) + 2)
  useEffect(() => {
    if (event !== null) document.getElementById(`${side}-event-${event}`)?.scrollIntoView({ block: 'center' })
  }, [event, side])

  return (
    <section class="timeline" aria-label="Timeline">
      <h2>
        What happened{' '}
        <span class="quiet">
          {chosen.length < events.length && `${chosen.length} of `}
          {plural(events.length, 'event')}
        </span>
      </h2>
      {spans.size > 0 && (
        <p class="quiet">
          Bars show when each step took place within the run.
          {scripted && ' It was replayed, so no model took time to answer.'}
        </p>
      )}
      <TimelineFilters events={events} lanes={lanes} filter={filter} change={setFilter} />
      <ol class="events" style={{ '--lanes': String(lanes.columns + 1) }}>
        {parts.slice(0, shown).map((part, index) => (
          <Part key={index} part={part} lanes={lanes} spans={spans} side={side} link={link} event={event} />
        ))}
      </ol>
      {events.length === 0 && <p class="empty">The transcript is empty: the agent did nothing.</p>}
      {events.length > 0 && chosen.length === 0 && <p class="empty">No event matches these filters.</p>}
    </section>
  )
}

interface Shown {
  readonly event: PageEvent
  /** The sub-agents at work, by their column. */
  readonly active: readonly (Lane | null)[]
}

/** Some events: what has been rendered stays as it is while further parts come below it. */
function Part({
  part,
  lanes,
  spans,
  side,
  link,
  event,
}: {
  readonly part: readonly Shown[]
  readonly lanes: Lanes
  readonly spans: ReadonlyMap<number, Span>
  readonly side: 'a' | 'b'
  readonly link: (n: number) => string
  readonly event: number | null
}): JSX.Element {
  return useMemo(
    () => (
      <>
        {part.map(({ event: one, active }) => (
          <TimelineEvent
            key={one.n}
            side={side}
            event={one}
            lane={one.agent === null ? null : (lanes.lanes.get(one.agent) ?? null)}
            active={active}
            span={spans.get(one.n) ?? null}
            href={link(one.n)}
            isChosen={one.n === event}
          />
        ))}
      </>
    ),
    [part, lanes, spans, side, link, event],
  )
}

const PART = 50
