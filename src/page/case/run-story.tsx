import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Card } from '../card.tsx'
import { DECIDED_BY, dollars, seconds } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { locateQuote, type LocatedQuote } from '../locate-quote.ts'
import { Line, Marks, Text } from '../text.tsx'
import { Changes } from './changes.tsx'
import { quotesOf } from './quotes.tsx'
import { Timeline } from './timeline.tsx'
import { Verdicts, verdictsOf } from './verdicts.tsx'
import { sum } from '../../lib/lists.ts'
import type { Choice, Route } from '../route.ts'
import type { PageDetail, PageRow } from '../../report/page/page-data.ts'
import type { ReadRun } from '../../report/read-report.ts'

/** One run from its prompt to its verdict. */
export function RunStory({
  side,
  row,
  detail,
  choice,
  query,
}: {
  readonly side: 'a' | 'b'
  readonly row: PageRow
  readonly detail: PageDetail
  readonly choice: Choice
  readonly query: Route['query']
}): JSX.Element {
  const at = Math.max(
    0,
    detail.case.runs.findIndex(({ index }) => index === choice.run),
  )
  const [summary, run] = [detail.case.runs[at], detail.runs[at]]
  const verdicts = useMemo(() => verdictsOf(detail.case, summary), [detail.case, summary])
  const quotes = useMemo(() => quotesOf(verdicts), [verdicts])
  const places = useMemo(
    () =>
      quotes.map((one) =>
        one === null || run === undefined ? null : locateQuote(run, one.text, one.foundIn, one.item),
      ),
    [run, quotes],
  )
  const prompts = useMemo(
    () => new Map(run?.events.flatMap((one) => (one.kind === 'prompt' ? [[one.turn, one.n]] : []))),
    [run],
  )
  const linkedQuote = query['quote'] === undefined ? null : Number(query['quote'])
  const [clicked, setClicked] = useState<{ readonly quote: number | null; readonly request: number }>({
    quote: null,
    request: 0,
  })
  const quote = side === 'a' ? linkedQuote : clicked.quote
  const place: LocatedQuote | null = quote === null ? null : (places[quote] ?? null)
  const show = (index: number): void => setClicked(({ request }) => ({ quote: index, request: request + 1 }))

  return (
    <Marks.Provider value={{ marks: place?.marks ?? {}, request: clicked.request }}>
      <div class="story">
        <div class="verdict-column">
          <Verdicts
            verdicts={verdicts}
            links={{ side, key: row.key, run: summary?.index ?? 1, quotes, places, prompts, chosen: quote, show }}
          />
        </div>
        <div class="event-column">
          {summary === undefined ? (
            <p class="empty">This case did not run, so there is nothing to show.</p>
          ) : (
            <>
              <RunFacts run={summary} count={detail.case.runs.length} />
              {run?.prompt != null && prompts.size === 0 && (
                <Card class="prompt" title="Prompt" label="Prompt">
                  <Text text={run.prompt} lines={16} />
                </Card>
              )}
              {run === undefined || run.missing !== null ? (
                <Missing reason={run?.missing ?? ''} snippet={detail.case.agent_output_snippet} />
              ) : (
                <Timeline
                  side={side}
                  row={row}
                  run={run}
                  turns={summary.turns}
                  scripted={row.source === 'replay' || row.scripted}
                  duration={summary.duration_seconds}
                  event={side === 'a' && query['event'] !== undefined ? Number(query['event']) : null}
                  marked={place?.event ?? null}
                />
              )}
              {run?.cut.map((sentence) => (
                <Line class="notice" text={sentence} />
              ))}
              {run !== undefined && <Changes files={run.files} unreadable={summary.files.unreadable} />}
            </>
          )}
        </div>
      </div>
    </Marks.Provider>
  )
}

function RunFacts({ run, count }: { readonly run: ReadRun; readonly count: number }): JSX.Element {
  const calls = sum(Object.values(run.tool_calls))
  const facts = [
    ...(count > 1 ? [`Run ${run.index} of ${count}`] : []),
    run.status,
    ...(run.decided_by === null ? [] : [`decided by ${DECIDED_BY[run.decided_by]}`]),
    seconds(run.duration_seconds),
    ...(run.requests === null ? [] : [plural(run.requests, 'model request')]),
    plural(calls, 'tool call'),
    `cost ${dollars(run.cost_usd)}`,
    ...(run.exit_code === null || run.exit_code === 0 ? [] : [`exit code ${run.exit_code}`]),
  ]
  return (
    <div class="run-facts">
      <Line text={facts.join(' · ')} />
      {run.decided_because !== null && (
        <Line text={`The first model turn alone did not decide it: ${run.decided_because}`} />
      )}
      <Line class="why errored" text={run.problem} />
    </div>
  )
}

function Missing({ reason, snippet }: { readonly reason: string; readonly snippet: string | null }): JSX.Element {
  return (
    <Card class="missing" title="What happened" label="Transcript">
      <Line class="notice" text={reason} />
      {snippet !== null && (
        <>
          <h3>Beginning of the agent's output, from the report</h3>
          <Text text={snippet} />
        </>
      )}
    </Card>
  )
}
