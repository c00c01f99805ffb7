import type { Position } from '../documents/issue.ts'
import type { Grader } from '../suites/formats/plugin-eval/model.ts'

/** How one grader came out in one run. Plain JSON. */
export interface GraderResult {
  readonly name: string
  readonly type: Grader['type']
  readonly at: Position
  readonly weight: number
  /** It says whether the plugin was used; the run without it has no such grader. */
  readonly withOnly: boolean
  /** Whether it counts in the score of its run. */
  readonly scored: boolean
  /** `errored`: there is no verdict, such as of a judge that could not be asked. */
  readonly outcome: 'errored' | 'failed' | 'passed'
  /** One sentence. */
  readonly explanation: string
  /** Verdicts of the judge's votes in their order, `null` for one that was not given; absent where no judge is asked. */
  readonly votes?: readonly (boolean | null)[]
  /** What this project asks a judge for beside the verdict; Claude Code's own runner does not. */
  readonly ours?: GraderEvidence
}

/** Why a judge voted as it did. */
export interface GraderEvidence {
  readonly reason: string
  /** Copied from what the judge was shown; empty when it quoted nothing. */
  readonly quote: string
  /** Whether the quote is in what the judge was shown. */
  readonly quoteFound: boolean
}

/** What a grader found, before it is known whether it counts. */
export type Finding = Pick<GraderResult, 'explanation' | 'ours' | 'outcome' | 'votes'>

/** A finding of a grader that has decided. */
export function found(passed: boolean, explanation: string): Finding {
  return { outcome: passed ? 'passed' : 'failed', explanation }
}
