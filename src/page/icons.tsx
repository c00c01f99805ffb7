import type { JSX } from 'preact'

/** Outcomes, each with a shape and a word of its own: colour is never the only sign. */
export type Outcome = 'errored' | 'failed' | 'passed' | 'skipped'

/** The outcomes in the order in which a reader wants them. */
export const OUTCOMES: readonly Outcome[] = ['failed', 'errored', 'skipped', 'passed']

/** Shape of an outcome. The word beside it is for screen readers too. */
export function OutcomeIcon({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  return (
    <svg class={`icon ${outcome}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      {SHAPES[outcome]}
    </svg>
  )
}

/** An outcome as shape and word. */
export function OutcomeBadge({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  return (
    <span class={`badge ${outcome}`}>
      <OutcomeIcon outcome={outcome} />
      {outcome}
    </span>
  )
}

/** A result of a check or an expectation, in the words of the report. */
export function ResultBadge({ result }: { readonly result: 'ERROR' | 'FAIL' | 'PASS' }): JSX.Element {
  return <OutcomeBadge outcome={RESULTS[result]} />
}

const RESULTS = { PASS: 'passed', FAIL: 'failed', ERROR: 'errored' } as const

const SHAPES: Readonly<Record<Outcome, JSX.Element>> = {
  passed: (
    <>
      <circle cx="8" cy="8" r="7" class="fill" />
      <path d="M4.6 8.4 7 10.7l4.4-5.2" class="stroke" />
    </>
  ),
  failed: (
    <>
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" class="fill" />
      <path d="m5.4 5.4 5.2 5.2m0-5.2-5.2 5.2" class="stroke" />
    </>
  ),
  errored: (
    <>
      <path d="M8 1.2 15.4 14.4H.6z" class="fill" />
      <path d="M8 6v3.8m0 2v.4" class="stroke" />
    </>
  ),
  skipped: (
    <>
      <circle cx="8" cy="8" r="6.2" class="ring" />
      <path d="M5 8h6" class="line" />
    </>
  ),
}
