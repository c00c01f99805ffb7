import type { JSX } from 'preact'
import { percent, plural } from '../format.ts'
import { OutcomeBadge } from '../icons.tsx'
import { Inline } from '../text.tsx'
import type { ReadCase } from '../../report/read-report.ts'

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

/** Scores by the dimensions of a rubric. */
export function Scores({
  whole: { scores, weighted_score: weighted, hard_fails: fails },
}: {
  readonly whole: ReadCase
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
