import type { JSX } from 'preact'
import type { ReadCase, ReadCheck, ReadExpectation, ReadGraded, ReadRun } from '../../report/read-report.ts'
import type { LocatedQuote } from '../locate-quote.ts'
import { linkTo } from '../route.ts'
import { Inline } from '../text.tsx'

/** A message of the user, and what came of it. */
export type ReadTurn = ReadRun['turns'][number]

/** What was decided of a run, and how. */
export interface RunVerdicts {
  readonly checks: readonly ReadCheck[]
  readonly expectations: readonly ReadExpectation[]
  readonly dimensions: ReadCase['dimensions']
  readonly judge: ReadCase['judge_verdict']
  readonly judgeSkipped: string | null
  readonly graded: ReadGraded | null
  /** Of a conversation; none where the user says one thing alone. */
  readonly turns: readonly ReadTurn[]
  /** What concerns all runs of the case. */
  readonly whole: ReadCase
}

/** What the quotes of one run need to be links. */
export interface QuoteLinks {
  readonly side: 'a' | 'b'
  /** Of the case. */
  readonly key: string
  /** From 1. */
  readonly run: number
  readonly quotes: readonly (Quote | null)[]
  readonly places: readonly (LocatedQuote | null)[]
  /** Numbers of the events with which the turns of a conversation begin, by their turn. */
  readonly prompts: ReadonlyMap<number, number>
  readonly chosen: number | null
  readonly show: (quote: number) => void
}

/** A quote of the judge: a link to the place that it quotes. Nothing where nothing was quoted. */
export function QuoteLink({ links, at }: { readonly links: QuoteLinks; readonly at: number }): JSX.Element | null {
  const { side, key, run, show } = links
  const quote = links.quotes[at] ?? null
  if (quote === null) return null
  const place = links.places[at] ?? null
  const isChosen = links.chosen === at
  return (
    <blockquote class={isChosen ? 'chosen' : ''}>
      {place === null ? (
        <Inline text={quote.text} />
      ) : side === 'b' ? (
        // The address holds the quote of the first run only.
        <button type="button" class="quote-link" onClick={() => show(at)}>
          <Inline text={quote.text} />
        </button>
      ) : (
        <a
          class="quote-link"
          href={linkTo('case', key, { run: String(run), quote: String(at) })}
          onClick={() => show(at)}
          aria-current={isChosen ? 'true' : undefined}
        >
          <Inline text={quote.text} />
        </a>
      )}
      <cite>
        <Inline text={whereOf(quote, place)} />
      </cite>
    </blockquote>
  )
}

function whereOf({ foundIn }: Quote, place: LocatedQuote | null): string {
  if (place !== null) return `Quoted from ${place.event === null ? (foundIn ?? 'a file') : `event ${place.event}`}`
  return foundIn === null
    ? 'The quote was not found in what the run left.'
    : `Quoted from ${foundIn}, which is not on this page`
}

/** A text that a judge quotes as evidence. */
interface Quote {
  readonly text: string
  /** Where it was found when it was judged; `null` when nowhere, or unknown. */
  readonly foundIn: string | null
  /** Id of the item that it is from, such as `e12`; `null` where the judge named none. */
  readonly item: string | null
}

/** Every quote of a run in the order in which the page numbers them: expectations, dimensions of a rubric, graders. */
export function quotesOf({ expectations, dimensions, graded }: RunVerdicts): readonly (Quote | null)[] {
  return [
    ...expectations.flatMap(({ evidence, evidence_found_in: foundIn }) =>
      evidence.map(({ item, quote }) => ({ text: quote, foundIn, item })),
    ),
    ...dimensions.flatMap(({ evidence }) => evidence.map(({ item, quote }) => ({ text: quote, foundIn: null, item }))),
    ...(graded?.graders ?? []).map(({ ours }) =>
      ours?.quote == null ? null : { text: ours.quote, foundIn: null, item: null },
    ),
  ]
}

/** The number of the first quote of each expectation, then of each dimension, and at the end that of the first grader. */
export function firstQuotes({ expectations, dimensions }: RunVerdicts): readonly number[] {
  const first = [0]
  for (const { evidence } of [...expectations, ...dimensions]) first.push((first.at(-1) ?? 0) + evidence.length)
  return first
}
