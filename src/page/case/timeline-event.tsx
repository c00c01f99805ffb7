import type { JSX } from 'preact'
import type { PageEvent } from '../../report/page/page-data.ts'
import { seconds } from '../format.ts'
import { describeEvent, inputTexts } from '../locate-quote.ts'
import { Inline, Text, useMarks, visibleLine } from '../text.tsx'
import { threadName, toneOf, type Span, type Thread } from './events.ts'

/** One event. */
export function TimelineEvent({
  side,
  event,
  thread,
  span,
  href,
  isChosen,
}: {
  readonly side: 'a' | 'b'
  readonly event: PageEvent
  /** Its sub-agent; `null` for the main thread. */
  readonly thread: Thread | null
  readonly span: Span | null
  readonly href: string
  readonly isChosen: boolean
}): JSX.Element {
  const names = [
    'event',
    `kind-${event.kind}`,
    toneOf(event),
    thread === null ? '' : 'of-thread',
    isChosen ? 'chosen' : '',
  ]
  return (
    <li id={`${side}-event-${event.n}`} class={names.join(' ')}>
      <a class="number" href={href} aria-label={`Link to event ${event.n}`}>
        {event.n}
      </a>
      <div class="event-card">
        <div class="event-head">
          <h3>
            <Inline name={`e${event.n}.label`} text={describeEvent(event)} />
            {thread !== null && (
              <span class="chip thread" title={visibleLine(thread.agent)}>
                <b>{thread.number}</b> <bdi>{threadName(thread)}</bdi>
              </span>
            )}
          </h3>
          {event.from !== undefined && (
            <span class="from quiet" title="where this is known from">
              {event.from}
            </span>
          )}
          {span !== null && <TimeBar span={span} />}
        </div>
        <EventBody event={event} />
      </div>
    </li>
  )
}

/** When a step took place within the run, as a bar, and how long it took. */
function TimeBar({ span: { from, to, total } }: { readonly span: Span }): JSX.Element {
  return (
    <span class="time-bar">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="6" />
        <rect x={(from / total) * 100} width={Math.max(((to - from) / total) * 100, 1)} height="6" />
      </svg>
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
