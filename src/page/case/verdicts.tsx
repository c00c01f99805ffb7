import type { JSX } from 'preact'
import type { ReadCase, ReadRun } from '../../report/read-report.ts'
import { isScripted } from '../../report/results/result.ts'
import { Card } from '../card.tsx'
import { modelOf, percent } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { OutcomeBadge, ResultBadge } from '../icons.tsx'
import { Inline, Line, Text } from '../text.tsx'
import { QuoteLink, firstQuotes, type QuoteLinks, type RunVerdicts } from './quotes.tsx'
import { Check, Expectation, Grader, Rests } from './statements.tsx'
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
  const { trigger, repeats, notices } = whole
  const first = firstQuotes(verdicts)
  // A check or statement of one turn is shown with its turn.
  const isOfWhole = ({ turn }: { readonly turn: number | null }): boolean => turn === null || turns.length === 0
  const checks = verdicts.checks.filter(isOfWhole)
  const statements = expectations.flatMap((one, at) => (isOfWhole(one) ? [{ one, at }] : []))
  const ofWhole = turns.length === 0 ? '' : ' of the whole conversation'
  return (
    <>
      {trigger !== null && <Trigger trigger={trigger} isScripted={isScripted(whole)} />}
      {repeats !== null && (
        <Card title="Rate" label="Rate">
          <p>
            {repeats.passed} of {plural(repeats.completed, 'completed run')} passed
            {repeats.saved === null ? ` (${percent(repeats.rate)})` : `; ${leftOut(repeats.saved)}`}, needed{' '}
            {percent(repeats.threshold)}.
          </p>
        </Card>
      )}
      {turns.length > 0 && <TurnPanels verdicts={verdicts} links={links} first={first} />}
      {checks.length > 0 && (
        <Card title={`Checks${ofWhole}`} label="Checks">
          <ul class="verdicts">
            {checks.map((check) => (
              <Check check={check} />
            ))}
          </ul>
        </Card>
      )}
      {(expectations.length > 0 || judge !== null || judgeSkipped !== null) && (
        <Card title={`Judge${ofWhole}`} label="Judge">
          {judge !== null && (
            <div class="judge">
              <ResultBadge result={judge.result} />
              <span class="where">
                <Inline
                  text={`${modelOf(judge.model)} · ${plural(judge.votes ?? 0, 'vote')}${judge.self_judged && judge.model !== 'scenario' ? ' · same model family as the agent' : ''}`}
                />
              </span>
              <Line text={judge.reason} />
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
        </Card>
      )}
      {graded !== null && (
        <Card title="Graders" label="Graders">
          <p>
            Score {graded.score === null ? 'n/a' : graded.score.toFixed(2)}
            {graded.threshold !== null && `, needed ${graded.threshold}`}
          </p>
          <ol class="verdicts">
            {graded.graders.map((grader, index) => (
              <Grader grader={grader} links={links} quote={(first.at(-1) ?? 0) + index} />
            ))}
          </ol>
        </Card>
      )}
      <Scores whole={whole} dimensions={dimensions} links={links} first={first.slice(expectations.length)} />
      {notices.length > 0 && (
        <Card title="Notices" label="Notices">
          {notices.map((notice) => (
            <Line text={notice} />
          ))}
        </Card>
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
    <Card title="Trigger" label="Trigger">
      <p>
        <Inline text={skill ?? 'A skill'} /> {shouldTrigger ? 'should' : 'should not'} be used. It was used in {fired}{' '}
        of {plural(completed, 'completed run')}
        {scripted
          ? ', by answers that were written in advance: that measures no model.'
          : saved === null
            ? ` (${percent(rate)}, threshold ${percent(threshold)}).`
            : `, threshold ${percent(threshold)}; ${leftOut(saved)}.`}
      </p>
      {(errors ?? 0) > 0 && <p>Not part of the rate: {plural(errors ?? 0, 'run')} that could not be completed.</p>}
      {trigger.fired_instead.length > 0 && <Line text={`Used instead: ${trigger.fired_instead.join(', ')}`} />}
    </Card>
  )
}

function leftOut(runs: number): string {
  return `${plural(runs, 'run')} could not change that and ${runs === 1 ? 'was' : 'were'} left out`
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
    <Card title="Scores" label="Scores" note={weighted === null ? '' : `${weighted.toFixed(2)} of 5`}>
      <ul class="verdicts scores">
        {Object.entries(scores).map(([name, score]) => {
          const index = dimensions.findIndex((one) => one.name === name)
          const dimension = dimensions[index]
          return (
            <li>
              {score === null ? (
                <span class="quiet">does not apply</span>
              ) : (
                <span class="score">
                  <meter min="0" max="5" value={score} aria-label={`${score} of 5`} /> {score}
                </span>
              )}
              <div>
                <Line class="statement" text={dimension === undefined ? name : `${name}: ${dimension.reason ?? ''}`} />
                {dimension?.evidence.map((_, at) => (
                  <QuoteLink links={links} at={(first[index] ?? 0) + at} />
                ))}
                <Rests on={dimension?.rests ?? null} />
              </div>
            </li>
          )
        })}
      </ul>
      {(fails ?? []).map((fail) => (
        <p class="why failed">
          <OutcomeBadge outcome="failed" />
          <Inline text={`Hard fail: ${fail}`} />
        </p>
      ))}
    </Card>
  )
}
