import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { PageEvent } from '../../report/page/page-data.ts'
import { seconds } from '../format.ts'
import { describeEvent, inputTexts } from '../locate-quote.ts'
import { Inline, Text, useMarks, visibleLine } from '../text.tsx'
import { toneOf, type Lane, type Span } from './events.ts'

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

/** What an event holds below its heading. */
function EventBody({ event }: { readonly event: PageEvent }): JSX.Element | null {
  const { n } = event
  switch (event.kind) {
    case 'message':
    case 'notice':
    case 'prompt':
      return <Text name={`e${n}.text`} text={event.text} lines={30} />
    case 'tool-call':
      return <Input n={n} input={event.input} />
    case 'tool-result':
      return event.text === '' ? (
        <p class="quiet">no output</p>
      ) : (
        <Text name={`e${n}.text`} text={event.text} lines={12} />
      )
    case 'hook':
      return (
        <>
          {event.reason !== '' && <Text name={`e${n}.reason`} text={event.reason} lines={8} />}
          {(event.told ?? [])
            .filter(({ text }) => text !== event.reason)
            .map(({ what, text, reachedModel }, index) => (
              <>
                <p class="quiet">{`${WORDS[what] ?? what}${reachedModel || what === 'message' ? '' : ', which the model did not get'}`}</p>
                <Text name={`e${n}.told${index}`} text={text} lines={8} />
              </>
            ))}
          {event.exitCode !== null && event.exitCode !== 0 && <p class="quiet">exit code {event.exitCode}</p>}
        </>
      )
    case 'api-retry':
      return <Text name={`e${n}.text`} text={event.message} lines={8} />
    case 'skill-used':
      return <p class="quiet">{event.via === 'tool' ? 'with the skill tool' : 'by reading its file'}</p>
  }
}

const WORDS: Readonly<Record<string, string>> = {
  context: 'told the model',
  input: 'changed the input to',
  message: 'told the user',
  output: 'changed the output to',
  reason: 'gave its reason',
}

function Input({
  n,
  input,
}: {
  readonly n: number
  readonly input: Extract<PageEvent, { kind: 'tool-call' }>['input']
}): JSX.Element {
  const texts = inputTexts(input)
  // The judge is shown inputs as JSON and may quote them so.
  const isQuotedAsJson = useMarks(`e${n}.json`).length > 0
  if (isQuotedAsJson) return <Text name={`e${n}.json`} text={JSON.stringify(input)} />
  if (texts.length === 0) return <p class="quiet">no input</p>
  return (
    <dl class="input">
      {texts.map(({ path, text }) => (
        <div>
          {path !== '' && (
            <dt>
              <Inline text={path.slice(1)} />
            </dt>
          )}
          <dd>
            <Text name={`e${n}.input${path}`} text={text} lines={12} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A sub-agent by its number and its name: the number is the sign that no other one has. */
export function ThreadName({ lane }: { readonly lane: Lane }): JSX.Element {
  return (
    <span class="chip thread" style={hueOf(lane)} title={visibleLine(lane.agent)}>
      <b>{lane.number}</b> <bdi>{threadName(lane)}</bdi>
    </span>
  )
}

/** A sub-agent's name; its whole one ends in the id of the call that started it. */
export function threadName({ agent }: Pick<Lane, 'agent'>): string {
  const [name = agent] = agent.split('#')
  return visibleLine(name === '' ? agent : name)
}

/** The colour of a sub-agent: each next one as far from those before it as can be. */
function hueOf({ number }: Pick<Lane, 'number'>): { readonly '--hue': string } {
  return { '--hue': ((number * GOLDEN_ANGLE + 190) % 360).toFixed(0) }
}

const GOLDEN_ANGLE = 137.508
