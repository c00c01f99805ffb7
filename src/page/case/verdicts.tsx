import type { JSX } from 'preact'
import type { ReadCase, ReadRun } from '../../report/read-report.ts'
import { isScripted } from '../../report/results/result.ts'
import { modelOf, percent } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { OutcomeBadge, ResultBadge } from '../icons.tsx'
import { Inline, Line, Text } from '../text.tsx'
import { Graders, QuoteLink, firstQuotes, type QuoteLinks, type RunVerdicts } from './graders.tsx'
import { Check, Expectation, Rests } from './statements.tsx'
import { TurnPanels } from './turns.tsx'

/** The verdicts on one of the runs: its own, or those of the case where it is the only one. */
export function verdictsOf(whole: ReadCase, run: ReadRun | undefined): RunVerdicts {
  const verdict = run?.verdict ?? null
  const turns = run?.turns ?? []
  if (verdict !== null)
    return {
      checks: verdict.checks,
      expectations: verdict.expectations ?? [],
      dimensions: verdict.dimensions,
      judge: verdict.judge_verdict,
      judgeSkipped: null,
      graded: verdict.graded,
      turns,
      whole,
    }
  const { checks, expectations, dimensions, judge_verdict: judge, judge_skipped: judgeSkipped, graded } = whole
  return { checks, expectations: expectations ?? [], dimensions, judge, judgeSkipped, graded, turns, whole }
}

/** Checks, judge and scores of a run. A quote leads to the place that it quotes. */
export function Verdicts({
  verdicts,
  links,
}: {
  readonly verdicts: RunVerdicts
  readonly links: QuoteLinks
}): JSX.Element {
  const { expectations, dimensions, judge, judgeSkipped, graded, turns, whole } = verdicts
  const first = firstQuotes(verdicts)
  // What a turn is asked stands with it.
  const checks = verdicts.checks.filter(({ turn }) => turn === null || turns.length === 0)
  const statements = expectations.flatMap((one, at) => (one.turn === null || turns.length === 0 ? [{ one, at }] : []))
  const ofWhole = turns.length === 0 ? '' : ' of the whole conversation'
  return (
    <>
      {whole.trigger !== null && <Trigger trigger={whole.trigger} isScripted={isScripted(whole)} />}
      {whole.repeats !== null && (
        <section class="panel" aria-label="Rate">
          <h2>Rate</h2>
          <p>
            {whole.repeats.passed} of {plural(whole.repeats.completed, 'completed run')} passed
            {whole.repeats.saved === null
              ? ` (${percent(whole.repeats.rate)})`
              : `; ${plural(whole.repeats.saved, 'run')} could not change that and ${whole.repeats.saved === 1 ? 'was' : 'were'} left out`}
            , needed {percent(whole.repeats.threshold)}.
          </p>
        </section>
      )}
      {turns.length > 0 && <TurnPanels verdicts={verdicts} links={links} first={first} />}
      {checks.length > 0 && (
        <section class="panel" aria-label="Checks">
          <h2>Checks{ofWhole}</h2>
          <ul class="verdicts">
            {checks.map((check) => (
              <Check check={check} />
            ))}
          </ul>
        </section>
      )}
      {(expectations.length > 0 || judge !== null || judgeSkipped !== null) && (
        <section class="panel" aria-label="Judge">
          <h2>Judge{ofWhole}</h2>
          {judge !== null && (
            <div class="judge">
              <ResultBadge result={judge.result} />
              <span class="where">
                <Inline
                  text={`${modelOf(judge.model)} · ${plural(judge.votes ?? 0, 'vote')}${judge.self_judged && judge.model !== 'scenario' ? ' · same model family as the agent' : ''}`}
                />
              </span>
              <Line text={judge.reason ?? ''} />
            </div>
          )}
          {judgeSkipped !== null && (
            <>
              <p class="quiet">No judge ran:</p>
              <Text text={judgeSkipped} lines={16} />
            </>
          )}
          <ol class="verdicts">
            {statements.map(({ one, at }) => (
              <Expectation one={one} links={links} quote={first[at] ?? 0} />
            ))}
          </ol>
        </section>
      )}
      {graded !== null && <Graders graded={graded} links={links} firstQuote={first.at(-1) ?? 0} />}
      <Scores whole={whole} dimensions={dimensions} links={links} first={first.slice(expectations.length)} />
      {whole.notices.length > 0 && (
        <section class="panel" aria-label="Notices">
          <h2>Notices</h2>
          <ul class="plain">
            {whole.notices.map((notice) => (
              <li>
                <Inline text={notice} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** Whether a skill was used by a query, against whether it should be. */
function Trigger({
  trigger,
  isScripted: scripted,
}: {
  readonly trigger: NonNullable<ReadCase['trigger']>
  readonly isScripted: boolean
}): JSX.Element {
  const { skill, should_trigger: shouldTrigger, completed, fired, errors, rate, saved, threshold } = trigger
  return (
    <section class="panel" aria-label="Trigger">
      <h2>Trigger</h2>
      <p>
        <Inline text={skill ?? 'A skill'} /> {shouldTrigger ? 'should' : 'should not'} be used. It was used in {fired}{' '}
        of {plural(completed, 'completed run')}
        {scripted
          ? ', by answers that were written in advance: that measures no model.'
          : saved === null
            ? ` (${percent(rate)}, threshold ${percent(threshold)}).`
            : `, threshold ${percent(threshold)}; ${plural(saved, 'run')} could not change that and ${saved === 1 ? 'was' : 'were'} left out.`}
      </p>
      {(errors ?? 0) > 0 && <p>Not part of the rate: {plural(errors ?? 0, 'run')} that could not be completed.</p>}
      {trigger.fired_instead.length > 0 && (
        <p>
          Used instead: <Inline text={trigger.fired_instead.join(', ')} />
        </p>
      )}
    </section>
  )
}

/** Scores by the dimensions of a rubric, with what the judge quotes for each in the run that is shown. */
function Scores({
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
            <Line class="statement" text={`${name}: ${reason ?? ''}`} />
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
