import type { ComponentChildren, JSX } from 'preact'
import { plural } from '../../lib/text.ts'
import type { ReadCheck, ReadExpectation, ReadGraded } from '../../report/read-report.ts'
import { ResultBadge } from '../icons.tsx'
import { Inline, Line } from '../text.tsx'
import { QuoteLink, type QuoteLinks } from './quotes.tsx'

/** A check with its result. */
export function Check({
  check: { kind, value, result, message, weak, line },
}: {
  readonly check: ReadCheck
}): JSX.Element {
  return (
    <Statement result={result} weak={weak}>
      <code>
        <Inline text={`${kind}: ${String(value)}`} />
      </code>
      <span class="where">line {line}</span>
      <Line text={message} />
    </Statement>
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
    <Statement result={result} weak={weak}>
      <Line class="statement" text={text} />
      <Line text={reason} />
      {evidence.map((_, index) => (
        <QuoteLink links={links} at={quote + index} />
      ))}
      <Rests on={rests} />
      {agreement.of !== null && agreement.of > 1 && (
        <span class="where">{`${agreement.agree} of ${agreement.of} votes agree`}</span>
      )}
    </Statement>
  )
}

/** A grader of a `claude plugin eval` case. */
export function Grader({
  grader: { name, type, line, weight, scored, result, explanation, votes, ours },
  links,
  quote,
}: {
  readonly grader: ReadGraded['graders'][number]
  readonly links: QuoteLinks
  readonly quote: number
}): JSX.Element {
  const facts = [
    type,
    scored ? `weight ${weight}` : 'indicator, not scored',
    ...(votes === null
      ? []
      : [`${votes.filter((vote) => vote === true).length} of ${plural(votes.length, 'vote')} for it`]),
    `line ${line}`,
  ]
  return (
    <Statement result={result}>
      <Line class="statement" text={name} />
      <span class="where">
        <Inline text={facts.join(' · ')} />
      </span>
      <Line text={explanation === '' ? null : explanation} />
      <Line text={ours === null || ours.reason === explanation ? null : ours.reason} />
      <QuoteLink links={links} at={quote} />
    </Statement>
  )
}

function Statement({
  result,
  weak = null,
  children,
}: {
  readonly result: 'ERROR' | 'FAIL' | 'PASS'
  readonly weak?: string | null
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <li>
      <ResultBadge result={result} />
      <div>
        {children}
        {weak !== null && (
          <p class="weak">
            <strong>Weak:</strong> <Inline text={weak} />
          </p>
        )}
      </div>
    </li>
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
