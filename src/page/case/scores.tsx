import type { JSX } from 'preact'
import { percent, plural } from '../format.ts'
import { OutcomeBadge } from '../icons.tsx'
import { Inline } from '../text.tsx'
import { QuoteLink, type QuoteLinks } from './quote-link.tsx'
import type { ReadCase, ReadExpectation } from '../../report/read-report.ts'

/** Whether a skill was used by a query, against whether it should be. */
export function Trigger({
  trigger,
  isScripted,
}: {
  readonly trigger: NonNullable<ReadCase['trigger']>
  readonly isScripted: boolean
}): JSX.Element {
  const { skill, should_trigger: wanted, completed, fired, errors, undecided, rate, threshold } = trigger
  return (
    <section class="panel" aria-label="Trigger">
      <h2>Trigger</h2>
      <p>
        <Inline text={skill ?? 'A skill'} /> {wanted ? 'should' : 'should not'} be used. It was used in {fired} of{' '}
        {plural(completed, 'completed run')}
        {isScripted
          ? ', by answers that were written in advance: that measures no model.'
          : ` (${percent(rate)}, threshold ${percent(threshold)}).`}
      </p>
      {(errors ?? 0) > 0 && <p>Not part of the rate: {plural(errors ?? 0, 'run')} that could not be completed.</p>}
      {(undecided ?? 0) > 0 && (
        <p>Not part of the rate: {plural(undecided ?? 0, 'run')} whose first model turn decided nothing.</p>
      )}
      {trigger.fired_instead.length > 0 && (
        <p>
          Used instead: <Inline text={trigger.fired_instead.join(', ')} />
        </p>
      )}
    </section>
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

/** Scores by the dimensions of a rubric, with what the judge quotes for each in the run that is shown. */
export function Scores({
  whole: { scores, weighted_score: weighted, hard_fails: fails },
  dimensions,
  links,
  first,
}: {
  readonly whole: ReadCase
  readonly dimensions: ReadCase['dimensions']
  readonly links: QuoteLinks
  /** Number of the first quote of each dimension. */
  readonly first: readonly number[]
}): JSX.Element | null {
  if (scores === null) return null
  return (
    <section class="panel" aria-label="Scores">
      <h2>Scores{weighted === null ? '' : ` · ${weighted.toFixed(2)} of 5`}</h2>
      <table class="scores">
        <tbody>
          {Object.entries(scores).map(([name, score]) => (
            <tr>
              <th scope="row">
                <Inline text={name} />
              </th>
              <td>
                {score === null ? (
                  <span class="quiet">does not apply</span>
                ) : (
                  <>
                    <meter min="0" max="5" value={score} aria-label={`${score} of 5`} /> {score}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="plain">
        {dimensions.map(({ name, reason, evidence, rests }, index) => (
          <li>
            <p class="statement">
              <Inline text={`${name}: ${reason ?? ''}`} />
            </p>
            {evidence.map((_, at) => (
              <QuoteLink links={links} at={(first[index] ?? 0) + at} />
            ))}
            <Rests on={rests} />
          </li>
        ))}
      </ul>
      {(fails ?? []).map((fail) => (
        <p class="why failed">
          <OutcomeBadge outcome="failed" />
          <span>
            Hard fail: <Inline text={fail} />
          </span>
        </p>
      ))}
    </section>
  )
}
