/** What the graders of a `claude plugin eval` case found; other cases have none. The score is 0 to 1: the mean of the runs. */
export interface ReportGraded {
  readonly score: number | null
  readonly threshold: number
  readonly graders: readonly ReportGrader[]
}

/** How one grader came out in the run that is shown. */
export interface ReportGrader {
  readonly name: string
  readonly type: string
  readonly line: number
  readonly weight: number
  /** An indicator is not scored. */
  readonly scored: boolean
  readonly result: 'PASS' | 'FAIL' | 'ERROR'
  readonly explanation: string
  /** Verdicts of the judge's votes; `null` where no judge is asked. */
  readonly votes: readonly (boolean | null)[] | null
  /** Reason and quote, which this project asks a judge for; `null` where no judge is asked. */
  readonly ours: { readonly reason: string; readonly quote: string | null; readonly quote_found: boolean } | null
}
