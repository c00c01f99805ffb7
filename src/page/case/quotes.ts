import type { RunVerdicts } from './verdicts.tsx'

/** A text that a judge quotes as evidence. */
export interface Quote {
  readonly text: string
  /** Where it was found when it was judged; `null` when nowhere, or unknown. */
  readonly foundIn: string | null
  /** Id of the item that it is from, such as `e12`; `null` where the judge named none. */
  readonly item: string | null
}

/** Every quote of a run in the order in which the page numbers them: expectations, dimensions of a rubric, graders. */
export function quotesOf({ expectations, dimensions, graded }: RunVerdicts): readonly (Quote | null)[] {
  return [
    ...expectations.flatMap(({ evidence, evidence_found_in: foundIn }) =>
      evidence.map(({ item, quote }) => ({ text: quote, foundIn, item })),
    ),
    ...dimensions.flatMap(({ evidence }) => evidence.map(({ item, quote }) => ({ text: quote, foundIn: null, item }))),
    ...(graded?.graders ?? []).map(({ ours }) =>
      ours?.quote == null ? null : { text: ours.quote, foundIn: null, item: null },
    ),
  ]
}

/** The number of the first quote of each expectation, then of each dimension, and at the end that of the first grader. */
export function firstQuotes({ expectations, dimensions }: RunVerdicts): readonly number[] {
  const first = [0]
  for (const { evidence } of [...expectations, ...dimensions]) first.push((first.at(-1) ?? 0) + evidence.length)
  return first
}
