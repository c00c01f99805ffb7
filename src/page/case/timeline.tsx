import { Fragment, type JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PageEvent, PageRow, PageRun } from '../../report/page/page-data.ts'
import { plural } from '../../lib/text.ts'
import { Card } from '../card.tsx'
import { linkTo } from '../route.ts'
import {
  ALL_EVENTS,
  MAIN_THREAD,
  isShown,
  spansOf,
  threadName,
  threadsOf,
  toneOf,
  type EventFilter,
  type EventGroup,
  type Thread,
} from './events.ts'
import { TimelineEvent } from './timeline-event.tsx'
import type { ReadTurn } from './quotes.tsx'
import { TurnHead, numberOf } from './turns.tsx'

/** What happened, event by event, the turns of a conversation under headings. */
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
  readonly turns: readonly ReadTurn[]
  readonly scripted: boolean
  /** Seconds. */
  readonly duration: number | null
  /** Number of the event that a link leads to. */
  readonly event: number | null
  /** Number of the event that holds the marked quote. */
  readonly marked: number | null
}): JSX.Element {
  const { events } = run
  const threads = useMemo(() => threadsOf(events), [events])
  const spans = useMemo(() => spansOf(run, duration), [run, duration])
  const [filter, setFilter] = useState(ALL_EVENTS)
  // A link leads to an event, so nothing may hide it or what is around it.
  useEffect(() => setFilter(ALL_EVENTS), [run, event, marked])
  useEffect(() => {
    if (event !== null) document.getElementById(`${side}-event-${event}`)?.scrollIntoView({ block: 'center' })
  }, [event, side])
  const shown = events.filter((one) => isShown(one, filter))

  return (
    <Card
      title="What happened"
      label="Timeline"
      note={`${shown.length < events.length ? `${shown.length} of ` : ''}${plural(events.length, 'event')}`}
    >
      {spans.size > 0 && (
        <p class="quiet">
          Bars show when each step took place within the run.
          {scripted && ' It was replayed, so no model took time to answer.'}
        </p>
      )}
      {(events.length >= FEW || threads.size > 0) && (
        <TimelineFilters events={events} threads={[...threads.values()]} filter={filter} change={setFilter} />
      )}
      <ol class="events">
        {shown.map((one) => (
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
              thread={one.agent === null ? null : (threads.get(one.agent) ?? null)}
              span={spans.get(one.n) ?? null}
              href={linkTo('case', row.key, { run: String(run.index), event: String(one.n) })}
              isChosen={one.n === event}
            />
          </Fragment>
        ))}
      </ol>
      {events.length === 0 && <p class="empty">The transcript is empty: the agent did nothing.</p>}
      {events.length > 0 && shown.every(({ kind }) => kind === 'prompt') && (
        <p class="empty">No event matches these filters.</p>
      )}
    </Card>
  )
}

/** Narrows a timeline to some kinds of events and to one thread. */
function TimelineFilters({
  events,
  threads,
  filter,
  change,
}: {
  readonly events: readonly PageEvent[]
  readonly threads: readonly Thread[]
  readonly filter: EventFilter
  readonly change: (changed: EventFilter) => void
}): JSX.Element {
  const problems = events.filter((event) => toneOf(event) !== '').length
  return (
    <div class="filters timeline-filters">
      <label>
        <span>Show</span>
        <select
          value={filter.kind}
          onChange={(event) => change({ ...filter, kind: event.currentTarget.value as EventGroup })}
        >
          <option value="all">all events ({events.length})</option>
          <option value="messages">messages ({events.filter(({ kind }) => kind === 'message').length})</option>
          <option value="tools">tool calls and results</option>
          <option value="problems">blocked and failed steps ({problems})</option>
        </select>
      </label>
      {threads.length > 0 && (
        <label>
          <span>Thread</span>
          <select
            value={filter.thread ?? EVERY}
            onChange={({ currentTarget: { value } }) => change({ ...filter, thread: value === EVERY ? null : value })}
          >
            <option value={EVERY}>all threads ({threads.length + 1})</option>
            <option value={MAIN_THREAD}>main thread</option>
            {threads.map((thread) => (
              <option value={thread.agent}>
                {thread.number} {threadName(thread)} ({plural(thread.events, 'event')})
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

// Events that need no filter.
const FEW = 8
// No sub-agent has it: a name is never a lone blank.
const EVERY = ' '
