import type { ErrorCode } from '../lib/errors.ts'
import type { StatementKind } from '../recordings/input.ts'
import type { Usage } from '../transcript/transcript.ts'

/** The id under which a scenario answers that names no other, also in a recording of it. */
export const SCENARIO = 'scenario'

/**
 * Names what is asked. Better words for the same question keep stored answers valid, since their quotes are looked up
 * again. Another question needs another name.
 */
export const QUESTION = 'a verdict on each statement, with quotes by item'

/** What a judge says of one statement. `unscored`: nothing that can be relied on. */
export type Verdict = 'fail' | 'pass' | 'unscored'

/** A quote, and the item of the evidence that it is from; `null` where a judge names none. */
export interface GivenQuote {
  readonly item: string | null
  readonly quote: string
}

/** The judge's verdicts on a run, or why it was not asked. Plain JSON. */
export interface JudgePart {
  readonly result: 'passed' | 'failed' | 'errored' | 'skipped'
  /** One sentence. */
  readonly reason: string
  /** Set when `result` is `errored`. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null
  /** Id in the judge's answers; before there is one, the model that was asked for. */
  readonly model: string | null
  readonly provider: string | null
  /** Whether the judge is the model that it judges. */
  readonly selfJudged: boolean
  readonly statements: readonly JudgedStatement[]
  /** What a rubric judge gave; absent for every other judge. */
  readonly rubric?: RubricScores
  /** How often the judge was asked for a whole set of verdicts; retries are not counted. */
  readonly votes: number
  /** Requests that were answered, retries included. */
  readonly requests: number
  readonly usage: Usage | null
  /** US dollars; 0 for a scenario or replay, `null` when unknown. */
  readonly costUsd: number | null
  /** Remarks, such as an attempt to lead the judge. */
  readonly notices: readonly string[]
}

/** One statement of the criteria and what the judge made of it. */
export interface JudgedStatement {
  readonly text: string
  /** The turn that it is about, from 1; absent for the case as a whole. */
  readonly turn?: number
  readonly verdict: Verdict
  readonly reason: string
  /** What the judge quoted; empty when nothing. */
  readonly quote: string
  /** Where the quote stands: `output`, `transcript` or the path of a file; `null` when nowhere. */
  readonly quoteFoundIn: string | null
  /** Every quote, with the id of the item that holds it; absent where nobody was asked. */
  readonly evidence?: readonly GivenQuote[]
  /** claim: only the agent's word. absence: nothing was found in complete evidence. Absent where nothing counts. */
  readonly rests?: 'absence' | 'claim' | 'evidence'
  /** What the statement is about; absent where nobody was asked. */
  readonly kind?: StatementKind
  /** How many of the votes say so. */
  readonly agreement: { readonly agree: number; readonly of: number }
  /** Why the statement itself proves little; absent when it is fine. */
  readonly weak?: string
}

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
  /** Every quote, with the id of the item that holds it; absent where a person gave the score. */
  readonly evidence?: readonly GivenQuote[]
  /** What the score rests on; absent where nothing is shown for it. */
  readonly rests?: JudgedStatement['rests']
}

/** What the judge says of an expected fact. */
export interface FactCheck {
  readonly claim: string
  readonly stated: boolean
  /** `null` where it is not stated. */
  readonly correct: boolean | null
  readonly cited: boolean | null
  /** Where the agent states it; absent where nothing is shown. */
  readonly evidence?: readonly GivenQuote[]
}

/** Begins to say why a judge gave nothing. */
export function couldNotBeAsked(model: string): string {
  return `The judge ${model} could not be asked`
}

/** Says that another judge was asked in the place of one. */
export function describePassedOver(model: string, judgedBy: string, reason: string): string {
  const begin = couldNotBeAsked(model)
  return `${begin}, so ${judgedBy} judged: ${reason.replace(`${begin}: `, '')}`
}

/** What a notice says of two judges, without the reason; `null` for one that speaks of no other judge. */
export function passedOverIn(notice: string): string | null {
  return /^The judge \S+ could not be asked, so \S+ judged(?=: )/.exec(notice)?.[0] ?? null
}

/** A judge that was not asked. */
export function skippedJudge(reason: string): JudgePart {
  return { ...NOBODY, result: 'skipped', reason, error: null }
}

/** A judge that could not be asked. */
export function erroredJudge(code: ErrorCode, message: string): JudgePart {
  return { ...NOBODY, result: 'errored', reason: message, error: { code, message } }
}

const NOBODY: Omit<JudgePart, 'error' | 'reason' | 'result'> = {
  model: null,
  provider: null,
  selfJudged: false,
  statements: [],
  votes: 0,
  requests: 0,
  usage: null,
  costUsd: 0,
  notices: [],
}
