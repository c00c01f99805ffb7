import type { JSX } from 'preact'
import type { ReadCheck, ReadExpectation } from '../../report/read-report.ts'
import { ResultBadge } from '../icons.tsx'
import { Inline, Line } from '../text.tsx'
import { QuoteLink, type QuoteLinks } from './graders.tsx'

/** A check with its result. */
export function Check({
  check: { kind, value, result, message, weak, line },
}: {
  readonly check: ReadCheck
}): JSX.Element {
  return (
    <li>
      <ResultBadge result={result} />
      <div>
        <code>
          <Inline text={`${kind}: ${String(value)}`} />
        </code>
        <span class="where">line {line}</span>
        <Line text={message} />
        {weak !== null && <Weak reason={weak} />}
      </div>
    </li>
  )
}

/** A statement for the judge with its verdict and what the judge quotes for it. */
export function Expectation({
  one: { text, result, reason, agreement, weak, evidence, rests },
  links,
  quote,
}: {
  readonly one: ReadExpectation
  readonly links: QuoteLinks
  /** Number of its first quote. */
  readonly quote: number
}): JSX.Element {
  return (
    <li>
      <ResultBadge result={result} />
      <div>
        <Line class="statement" text={text} />
        <Line text={reason} />
        {evidence.map((_, index) => (
          <QuoteLink links={links} at={quote + index} />
        ))}
        <Rests on={rests} />
        <span class="where">
          {agreement.of !== null && agreement.of > 1 ? `${agreement.agree} of ${agreement.of} votes agree` : ''}
        </span>
        {weak !== null && <Weak reason={weak} />}
      </div>
    </li>
  )
}

function Weak({ reason }: { readonly reason: string }): JSX.Element {
  return (
    <p class="weak">
      <strong>Weak:</strong> <Inline text={reason} />
    </p>
  )
}

/** What a verdict rests on, where that is no quoted evidence. */
export function Rests({ on }: { readonly on: ReadExpectation['rests'] }): JSX.Element | null {
  if (on === null || on === 'evidence') return null
  return <p class="weak">{RESTS[on]}</p>
}

const RESTS = {
  claim: "Only the agent's own words show this.",
  absence: 'Nothing was found in the complete evidence.',
} as const
