import type { RunVerdicts } from './verdicts.tsx'

/** A text that a judge quotes as evidence. */
export interface Quote {
  readonly text: string
  /** Where it was found when it was judged; `null` when nowhere, or unknown. */
  readonly foundIn: string | null
}

/** Every quote of a run in the order in which the page numbers them: expectations, then graders. */
export function quotesOf({ expectations, graded }: RunVerdicts): readonly (Quote | null)[] {
  return [
    ...expectations.map(({ evidence, evidence_found_in: foundIn }) =>
      evidence === null ? null : { text: evidence, foundIn },
    ),
    ...(graded?.graders ?? []).map(({ ours }) => (ours?.quote == null ? null : { text: ours.quote, foundIn: null })),
  ]
}
