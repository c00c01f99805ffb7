import type { JSX } from 'preact'
import { plural } from '../format.ts'
import { ResultBadge } from '../icons.tsx'
import { Inline } from '../text.tsx'
import { QuoteLink, type QuoteLinks } from './quote-link.tsx'
import type { ReadGraded } from '../../report/read-report.ts'

/** The graders of a `claude plugin eval` case. Their quotes come after those of the expectations. */
export function Graders({
  graded: { score, threshold, graders },
  links,
  firstQuote,
}: {
  readonly graded: ReadGraded
  readonly links: QuoteLinks
  readonly firstQuote: number
}): JSX.Element {
  return (
    <section class="panel" aria-label="Graders">
      <h2>Graders</h2>
      <p class="plain">
        Score {score === null ? 'n/a' : score.toFixed(2)}
        {threshold !== null && `, needed ${threshold}`}
      </p>
      <ol class="verdicts">
        {graders.map((grader, index) => (
          <Grader grader={grader} links={links} quote={firstQuote + index} />
        ))}
      </ol>
    </section>
  )
}

function Grader({
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
    <li>
      <ResultBadge result={result} />
      <div>
        <p class="statement">
          <Inline text={name} />
        </p>
        <span class="where">
          <Inline text={facts.join(' · ')} />
        </span>
        {explanation !== null && explanation !== '' && (
          <p>
            <Inline text={explanation} />
          </p>
        )}
        {ours?.reason != null && ours.reason !== explanation && (
          <p>
            <Inline text={ours.reason} />
          </p>
        )}
        <QuoteLink links={links} at={quote} />
      </div>
    </li>
  )
}
