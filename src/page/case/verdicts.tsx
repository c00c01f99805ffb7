import type { JSX } from 'preact'
import { modelOf, percent, plural } from '../format.ts'
import { ResultBadge } from '../icons.tsx'
import { linkTo } from '../route.ts'
import { Inline } from '../text.tsx'
import { Scores, Trigger } from './scores.tsx'
import type { QuotePlace } from '../locate-quote.ts'
import type { PageRow } from '../../report/page/page-data.ts'
import type { PageCase, PageCaseRun, PageCheck, PageExpectation } from '../../report/page/page-report.ts'

/** What was decided of a run, and how. */
export interface RunVerdicts {
  readonly checks: readonly PageCheck[]
  readonly expectations: readonly PageExpectation[]
  readonly judge: PageCase['judge_verdict']
  readonly judgeSkipped: string | null
  /** What concerns all runs of the case. */
  readonly whole: PageCase
}

/** The verdicts on one of the runs: its own, or those of the case where it is the only one. */
export function verdictsOf(whole: PageCase, run: PageCaseRun | undefined): RunVerdicts {
  const own = run?.verdict ?? null
  if (own !== null)
    return { checks: own.checks, expectations: own.expectations, judge: own.judge_verdict, judgeSkipped: null, whole }
  const { checks, expectations, judge_verdict: judge, judge_skipped: judgeSkipped } = whole
  return { checks, expectations, judge, judgeSkipped, whole }
}

/** Checks, judge and scores of a run. A quote leads to the place that it quotes. */
export function Verdicts({
  side,
  row,
  run,
  verdicts: { checks, expectations, judge, judgeSkipped, whole },
  places,
  show,
  chosen,
}: {
  readonly side: 'a' | 'b'
  readonly row: PageRow
  readonly run: number
  readonly verdicts: RunVerdicts
  readonly places: readonly (QuotePlace | null)[]
  readonly show: (quote: number) => void
  readonly chosen: number | null
}): JSX.Element {
  return (
    <>
      {whole.trigger !== null && <Trigger trigger={whole.trigger} />}
      {whole.repeats !== null && (
        <section class="panel" aria-label="Rate">
          <h2>Rate</h2>
          <p>
            {whole.repeats.passed} of {plural(whole.repeats.completed, 'completed run')} passed (
            {percent(whole.repeats.rate)}), needed {percent(whole.repeats.threshold)}.
          </p>
        </section>
      )}
      {checks.length > 0 && (
        <section class="panel" aria-label="Checks">
          <h2>Checks</h2>
          <ul class="verdicts">
            {checks.map((check) => (
              <Check check={check} />
            ))}
          </ul>
        </section>
      )}
      {(expectations.length > 0 || judge !== null || judgeSkipped !== null) && (
        <section class="panel" aria-label="Judge">
          <h2>Judge</h2>
          {judge !== null && (
            <div class="judge">
              <ResultBadge result={judge.result} />
              <span class="where">
                <Inline
                  text={`${modelOf(judge.model)} · ${plural(judge.votes, 'vote')}${judge.self_judged ? ' · same model family as the agent' : ''}`}
                />
              </span>
              <p>
                <Inline text={judge.reason} />
              </p>
            </div>
          )}
          {judgeSkipped !== null && (
            <p class="quiet">
              No judge ran: <Inline text={judgeSkipped} />
            </p>
          )}
          <ol class="verdicts">
            {expectations.map((one, index) => (
              <Expectation
                one={one}
                place={places[index] ?? null}
                href={side === 'a' ? linkTo('case', row.key, { run: String(run), quote: String(index) }) : null}
                show={() => show(index)}
                isChosen={chosen === index}
              />
            ))}
          </ol>
        </section>
      )}
      <Scores whole={whole} />
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

function Check({ check: { kind, value, result, message, weak, line } }: { readonly check: PageCheck }): JSX.Element {
  return (
    <li>
      <ResultBadge result={result} />
      <div>
        <code>
          <Inline text={`${kind}: ${String(value)}`} />
        </code>
        <span class="where">line {line}</span>
        {message !== null && (
          <p>
            <Inline text={message} />
          </p>
        )}
        {weak !== null && <Weak reason={weak} />}
      </div>
    </li>
  )
}

function Expectation({
  one: { text, result, evidence, evidence_found_in: foundIn, reason, agreement, decided_by: by, weak },
  place,
  href,
  show,
  isChosen,
}: {
  readonly one: PageExpectation
  readonly place: QuotePlace | null
  readonly href: string | null
  readonly show: () => void
  readonly isChosen: boolean
}): JSX.Element {
  const where = place === null ? foundIn : place.event === null ? (foundIn ?? 'file') : `event ${place.event}`
  return (
    <li>
      <ResultBadge result={result} />
      <div>
        <p class="statement">
          <Inline text={text} />
        </p>
        {reason !== null && (
          <p>
            <Inline text={reason} />
          </p>
        )}
        {evidence !== null && (
          <blockquote class={isChosen ? 'chosen' : ''}>
            {place === null ? (
              <Inline text={evidence} />
            ) : href === null ? (
              <button type="button" class="quote-link" onClick={show}>
                <Inline text={evidence} />
              </button>
            ) : (
              <a class="quote-link" href={href} onClick={show} aria-current={isChosen ? 'true' : undefined}>
                <Inline text={evidence} />
              </a>
            )}
            <cite>
              {where === null ? (
                'The quote was not found in what the run left.'
              ) : (
                <Inline text={`Quoted from ${where}`} />
              )}
              {place === null && where !== null && ', which is not on this page'}
            </cite>
          </blockquote>
        )}
        <span class="where">
          {by === 'check'
            ? 'decided by a check'
            : agreement !== null && agreement.of > 1
              ? `${agreement.agree} of ${agreement.of} votes agree`
              : ''}
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
