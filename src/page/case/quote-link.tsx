import type { JSX } from 'preact'
import { linkTo } from '../route.ts'
import { Inline } from '../text.tsx'
import type { QuotePlace } from '../locate-quote.ts'
import type { Quote } from './quotes.ts'

/** What the quotes of one run need to be links. */
export interface QuoteLinks {
  readonly side: 'a' | 'b'
  /** Of the case. */
  readonly key: string
  /** From 1. */
  readonly run: number
  readonly quotes: readonly (Quote | null)[]
  readonly places: readonly (QuotePlace | null)[]
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

function whereOf({ foundIn }: Quote, place: QuotePlace | null): string {
  if (place !== null) return `Quoted from ${place.event === null ? (foundIn ?? 'a file') : `event ${place.event}`}`
  return foundIn === null
    ? 'The quote was not found in what the run left.'
    : `Quoted from ${foundIn}, which is not on this page`
}
