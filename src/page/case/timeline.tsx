import { Fragment, type JSX } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import type { PageEvent, PageRow, PageRun } from '../../report/page/page-data.ts'
import { plural } from '../../lib/text.ts'
import { inParts, linkTo, useGrowing } from '../route.ts'
import {
  ALL_EVENTS,
  MAIN_THREAD,
  isShown,
  lanesAt,
  lanesOf,
  spansOf,
  toneOf,
  type EventFilter,
  type EventGroup,
  type Lane,
  type Lanes,
  type Span,
} from './events.ts'
import { ThreadName, TimelineEvent, threadName } from './timeline-event.tsx'
import type { ReadTurn } from './graders.tsx'
import { TurnHead, numberOf } from './turns.tsx'

/** What happened, event by event: the main thread on the left, each sub-agent in a lane of its own. */
export function Timeline({
  side,
  row,
  run,
  turns,
  scripted,
  duration,
  event,
  marked,
}: {
  readonly side: 'a' | 'b'
  readonly row: PageRow
  readonly run: PageRun
  /** Of a conversation: its events are parted by them. */
  readonly turns: readonly ReadTurn[]
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
          <Part
            key={index}
            part={part}
            turns={turns}
            lanes={lanes}
            spans={spans}
            side={side}
            link={link}
            event={event}
          />
        ))}
      </ol>
      {events.length === 0 && <p class="empty">The transcript is empty: the agent did nothing.</p>}
      {events.length > 0 && chosen.every(({ event: { kind } }) => kind === 'prompt') && (
        <p class="empty">No event matches these filters.</p>
      )}
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
  turns,
  lanes,
  spans,
  side,
  link,
  event,
}: {
  readonly part: readonly Shown[]
  readonly turns: readonly ReadTurn[]
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
          <Fragment key={one.n}>
            {one.kind === 'prompt' && (
              <TurnHead
                side={side}
                turn={turns.find((turn, index) => numberOf(turn, index) === one.turn) ?? null}
                number={one.turn}
                of={turns.length}
              />
            )}
            <TimelineEvent
              side={side}
              event={one}
              lane={one.agent === null ? null : (lanes.lanes.get(one.agent) ?? null)}
              active={active}
              span={spans.get(one.n) ?? null}
              href={link(one.n)}
              isChosen={one.n === event}
            />
          </Fragment>
        ))}
      </>
    ),
    [part, turns, lanes, spans, side, link, event],
  )
}

const PART = 50

/** Narrows a timeline to some kinds of events and to one thread. Short timelines of one thread need none of it. */
function TimelineFilters({
  events,
  lanes: { lanes },
  filter,
  change,
}: {
  readonly events: readonly PageEvent[]
  readonly lanes: Lanes
  readonly filter: EventFilter
  readonly change: (changed: EventFilter) => void
}): JSX.Element {
  const legend = lanes.size > 0 ? <Legend lanes={[...lanes.values()]} /> : <></>
  if (events.length < FEW) return legend
  const problems = events.filter((event) => toneOf(event) !== '').length
  return (
    <>
      <div class="filters timeline-filters">
        <label>
          <span>Show</span>
          <select
            value={filter.kind}
            onChange={(event) => change({ ...filter, kind: event.currentTarget.value as EventGroup })}
          >
            <option value="all">all events ({events.length})</option>
            <option value="messages">
              messages ({events.filter((one) => isShown(one, { kind: 'messages', thread: null })).length})
            </option>
            <option value="tools">tool calls and results</option>
            <option value="problems">blocked and failed steps ({problems})</option>
          </select>
        </label>
        {lanes.size > 0 && (
          <label>
            <span>Thread</span>
            <select
              value={filter.thread ?? EVERY}
              onChange={({ currentTarget: { value } }) => change({ ...filter, thread: value === EVERY ? null : value })}
            >
              <option value={EVERY}>all threads ({lanes.size + 1})</option>
              <option value={MAIN_THREAD}>main thread</option>
              {[...lanes.values()].map((lane) => (
                <option value={lane.agent}>
                  {lane.number} {threadName(lane)} ({plural(lane.events, 'event')})
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {legend}
    </>
  )
}

function Legend({ lanes }: { readonly lanes: readonly Lane[] }): JSX.Element {
  const list = (
    <ul class="lanes">
      {lanes.map((lane) => (
        <li>
          <ThreadName lane={lane} /> {plural(lane.events, 'event')}
        </li>
      ))}
    </ul>
  )
  if (lanes.length <= FEW) return list
  return (
    <details class="lanes-more">
      <summary>{plural(lanes.length, 'sub-agent')}, each with a number and a lane</summary>
      {list}
    </details>
  )
}

const FEW = 8
// No thread can have it: names of threads are never a lone blank.
const EVERY = ' '
