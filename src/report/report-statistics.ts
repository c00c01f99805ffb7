/** What several runs of a case have shown together. */
export interface ReportRepeats {
  /** Runs that were asked for. */
  readonly runs: number
  /** Runs that passed or failed; the others are in no rate. */
  readonly completed: number
  readonly passed: number
  readonly errors: number
  readonly rate: number | null
  /** Wilson's, 95 %. */
  readonly interval: readonly [number, number] | null
  /** Share of the completed runs that has to pass. */
  readonly threshold: number
  /** Chance that at least one of 1, 2, ... runs passes: unbiased, 1 - C(n-c, k) / C(n, k). */
  readonly pass_at_k: readonly number[]
  /** Chance that all of 1, 2, ... runs pass: unbiased, C(c, k) / C(n, k). */
  readonly pass_all_k: readonly number[]
}
