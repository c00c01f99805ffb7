/** What a judge made of an answer by a rubric. Plain JSON. */
export interface RubricScores {
  /** In the order of the rubric. */
  readonly dimensions: readonly DimensionScore[]
  /** Mean by weight of the dimensions that apply, two decimals; `null` when none does. */
  readonly weighted: number | null
  /** Least weighted score that passes. */
  readonly threshold: number
  /** Codes of the hard fails that the judge found. */
  readonly hardFails: readonly string[]
  /** What the judge says of the answer as a whole. */
  readonly justification: string
  readonly facts: readonly FactCheck[]
  /** Pass criteria that are not met, one sentence each. */
  readonly missed: readonly string[]
}

/** The score of one dimension. */
export interface DimensionScore {
  readonly dimension: string
  readonly weight: number
  /** From 1 to 5; `null` when the dimension does not apply to the test. */
  readonly score: number | null
  readonly justification: string
  /** What the judge gave, where that is not from 1 to 5. */
  readonly clampedFrom?: number
}

/** What the judge says of an expected fact. */
export interface FactCheck {
  readonly claim: string
  readonly stated: boolean
  /** `null` where it is not stated. */
  readonly correct: boolean | null
  readonly cited: boolean | null
}
