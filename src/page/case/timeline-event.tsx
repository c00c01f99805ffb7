import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { seconds } from '../format.ts'
import { describeEvent } from '../describe-event.ts'
import { Inline } from '../text.tsx'
import { toneOf } from './choose-events.ts'
import { EventBody } from './event-body.tsx'
import { hueOf, ThreadName } from './thread-name.tsx'
import type { Lane } from './lanes.ts'
import type { Span } from './spans.ts'
import type { PageEvent } from '../../report/page/parse-transcript.ts'

/** One event, in the lane of its thread. */
export function TimelineEvent({
  side,
  event,
  lane,
  active,
  span,
  href,
  isChosen,
}: {
  readonly side: 'a' | 'b'
  readonly event: PageEvent
  /** Of its sub-agent; `null` for the main thread. */
  readonly lane: Lane | null
  /** The sub-agents at work, by their column. */
  readonly active: readonly (Lane | null)[]
  readonly span: Span | null
  readonly href: string
  readonly isChosen: boolean
}): JSX.Element {
  const style = lane === null ? {} : hueOf(lane)
  const thread = lane === null ? 'lane-main' : 'lane-sub'
  return (
    <li
      id={`${side}-event-${event.n}`}
      class={`event ${thread} kind-${event.kind} ${toneOf(event)} ${isChosen ? 'chosen' : ''}`}
      style={style}
    >
      <a class="number" href={href} aria-label={`Link to event ${event.n}`}>
        {event.n}
      </a>
      <Rails lane={lane} active={active} />
      <div class="event-card">
        <div class="event-head">
          <h3>
            <Inline name={`e${event.n}.label`} text={describeEvent(event)} />
            {lane !== null && <ThreadName lane={lane} />}
          </h3>
          {event.from !== undefined && (
            <span class="from quiet" title="where this is known from">
              {event.from}
            </span>
          )}
          {span !== null && <Bar span={span} />}
        </div>
        <EventBody event={event} />
      </div>
    </li>
  )
}

function Rails({
  lane,
  active,
}: {
  readonly lane: Lane | null
  readonly active: readonly (Lane | null)[]
}): JSX.Element {
  return useMemo(
    () => (
      <span class="rails" aria-hidden="true">
        <span class={`rail lane-main ${lane === null ? 'here' : ''}`} />
        {active.map((one) =>
          one === null ? (
            <span class="rail" />
          ) : (
            <span class={`rail lane-sub ${one === lane ? 'here' : ''}`} style={hueOf(one)} />
          ),
        )}
      </span>
    ),
    [lane, active],
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
