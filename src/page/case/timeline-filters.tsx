import type { JSX } from 'preact'
import { plural } from '../format.ts'
import { MAIN_THREAD, toneOf, type EventFilter, type EventGroup } from './choose-events.ts'
import { ThreadName, threadName } from './thread-name.tsx'
import type { Lane, Lanes } from './lanes.ts'
import type { PageEvent } from '../../report/page/parse-transcript.ts'

/** Narrows a timeline to some kinds of events and to one thread. Short timelines of one thread need none of it. */
export function TimelineFilters({
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
            <option value="messages">messages ({events.filter(({ kind }) => kind === 'message').length})</option>
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
