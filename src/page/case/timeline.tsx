import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { plural, seconds } from '../format.ts'
import { visibleLine } from '../visible-text.ts'
import { EventBody } from './event-body.tsx'
import { describeEvent } from '../describe-event.ts'
import { linkTo } from '../route.ts'
import { Inline } from '../text.tsx'
import { spansOf, type Span } from './spans.ts'
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
  const lanes = useMemo(
    () => [...new Set(events.map(({ agent }) => agent).filter((agent) => agent !== null))],
    [events],
  )
  const spans = useMemo(() => spansOf(run, duration), [run, duration])
  const atLeast = Math.max(event ?? 0, marked ?? 0)
  const shown = useGrowing(events, atLeast)
  useEffect(() => {
    if (event !== null) document.getElementById(`${side}-event-${event}`)?.scrollIntoView({ block: 'center' })
  }, [event, side])

  return (
    <section class="timeline" aria-label="Timeline">
      <h2>
        What happened <span class="quiet">{plural(events.length, 'event')}</span>
      </h2>
      {spans.size > 0 && (
        <p class="quiet">
          Bars show when each step took place within the run.
          {scripted && ' It was replayed, so no model took time to answer.'}
        </p>
      )}
      {lanes.length > 0 && (
        <ul class="lanes">
          <li>
            <span class="lane-dot lane-0" /> main thread
          </li>
          {lanes.map((lane, index) => (
            <li>
              <span class={`lane-dot lane-${(index % 5) + 1}`} /> sub-agent <Inline text={shortAgent(lane)} />
            </li>
          ))}
        </ul>
      )}
      <ol class="events" style={{ '--lanes': Math.min(lanes.length, 5) + 1 }}>
        {events.slice(0, shown).map((one) => (
          <Event
            key={one.n}
            side={side}
            event={one}
            lane={one.agent === null ? 0 : (lanes.indexOf(one.agent) % 5) + 1}
            lanes={Math.min(lanes.length, 5) + 1}
            span={spans.get(one.n) ?? null}
            href={linkTo('case', row.key, { run: String(run.index), event: String(one.n) })}
            isChosen={one.n === event}
          />
        ))}
      </ol>
      {events.length === 0 && <p class="empty">The transcript is empty: the agent did nothing.</p>}
    </section>
  )
}

function Event({
  side,
  event,
  lane,
  lanes,
  span,
  href,
  isChosen,
}: {
  readonly side: 'a' | 'b'
  readonly event: PageEvent
  readonly lane: number
  readonly lanes: number
  readonly span: Span | null
  readonly href: string
  readonly isChosen: boolean
}): JSX.Element {
  return (
    <li id={`${side}-event-${event.n}`} class={`event kind-${event.kind} ${toneOf(event)} ${isChosen ? 'chosen' : ''}`}>
      <a class="number" href={href} aria-label={`Link to event ${event.n}`}>
        {event.n}
      </a>
      <span class="rails" aria-hidden="true">
        {Array.from({ length: lanes }, (_, index) => (
          <span class={`rail lane-${index} ${index === lane ? 'here' : ''}`} />
        ))}
      </span>
      <div class="event-card">
        <div class="event-head">
          <h3>
            <Inline name={`e${event.n}.label`} text={describeEvent(event)} />
            {event.agent !== null && <span class={`chip lane-${lane}`}>{visibleLine(shortAgent(event.agent))}</span>}
          </h3>
          {span !== null && <Bar span={span} />}
        </div>
        <EventBody event={event} />
      </div>
    </li>
  )
}

function Bar({ span: { from, to, total } }: { readonly span: Span }): JSX.Element {
  return (
    <span class="bar">
      <span class="track" aria-hidden="true">
        <span
          class="fill"
          style={{ left: `${(from / total) * 100}%`, width: `${Math.max(((to - from) / total) * 100, 1)}%` }}
        />
      </span>
      <span class="took">{seconds((to - from) / 1000)}</span>
    </span>
  )
}

function toneOf(event: PageEvent): string {
  if (event.kind === 'tool-result') return event.blockedBy !== null ? 'blocked' : event.isError ? 'error' : ''
  if (event.kind !== 'hook') return ''
  return event.decision === 'allowed' ? '' : /blocked|denied/.test(event.decision) ? 'blocked' : 'error'
}

/** A sub-agent's name; the id of the call that started it tells two of one kind apart, by its end. */
function shortAgent(agent: string): string {
  const [name = agent, id = ''] = agent.split('#')
  return id === '' ? name : `${name} …${id.slice(-4)}`
}

function useGrowing(events: readonly PageEvent[], atLeast: number): number {
  const [shown, setShown] = useState(FIRST)
  const wanted = Math.max(shown, events.findIndex(({ n }) => n === atLeast) + 20)
  useEffect(() => {
    if (wanted >= events.length) return
    const timer = setTimeout(() => setShown(wanted + STEP), 40)
    return () => clearTimeout(timer)
  }, [wanted, events])
  return wanted
}

const FIRST = 60
const STEP = 150
