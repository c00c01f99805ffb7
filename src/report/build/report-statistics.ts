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

/** What passed, of the runs that say. */
export interface ReportTally {
  readonly passed: number
  readonly completed: number
}

/** A tally with its rate. */
export interface ReportRate extends ReportTally {
  readonly rate: number | null
  /** Wilson's, 95 %. */
  readonly interval: readonly [number, number] | null
}

/** What a skill adds: its cases with it against the same without it. */
export interface ReportLift {
  readonly target: string
  /** Cases that both arms have decided; the others are in none of these numbers. */
  readonly cases: number
  readonly with_skill: ReportRate
  readonly without_skill: ReportRate
  /** Mean over the cases of the difference of their rates, from -1 to 1. */
  readonly difference: number | null
  /** Cases whose rate is higher with the skill, lower, and the same. */
  readonly better: number
  readonly worse: number
  readonly same: number
  readonly test: 'exact sign test over cases, two-sided'
  readonly p_value: number | null
  /** Whether every outcome of so few cases may be chance. */
  readonly too_few: boolean
  readonly by_case: readonly ReportCaseLift[]
}

/** One case with and without the skill. */
export interface ReportCaseLift {
  /** Of the case with the skill. */
  readonly id: string
  readonly with_skill: ReportTally
  readonly without_skill: ReportTally
  readonly difference: number
  readonly test: "Fisher's exact test, two-sided"
  readonly p_value: number
  readonly too_few: boolean
}

/** How much runs on equal inputs differ. */
export interface ReportNoise {
  /** Cases with at least two completed runs. */
  readonly cases: number
  /** Of these the ones that came out both ways, with their share. */
  readonly flipped: number
  readonly flip_rate: number
  readonly flip_interval: readonly [number, number] | null
  /** Chance that two runs of a case differ, averaged over the cases: unbiased, from all pairs of runs. */
  readonly disagreement: number
  /** Largest difference of pass rates that chance alone makes between two passes over these cases, in 95 of 100. */
  readonly floor: number
}

/** What the runs of a suite's queries have shown together. A run is counted, not a query. */
export interface ReportTriggers {
  readonly suite: string
  /** Queries that are in the table; those that errored are not. */
  readonly queries: number
  readonly true_positives: number
  readonly false_positives: number
  readonly true_negatives: number
  readonly false_negatives: number
  readonly precision: number | null
  readonly recall: number | null
  /** Other skills by how many runs used them that should have used the one under test. */
  readonly fired_instead: Readonly<Record<string, number>>
}

/** What the runs of one query have shown. */
export interface ReportTrigger {
  /** The skill whose use was counted; `null`: any. */
  readonly skill: string | null
  readonly should_trigger: boolean
  /** Runs that were asked for. */
  readonly runs: number
  /** Runs that count: completed, or broken after the skill had been used. */
  readonly completed: number
  readonly fired: number
  /** Of these the runs in which only a sub-agent used it. */
  readonly fired_in_sub_agent: number
  /** Runs whose first model turn alone decided nothing; they are in no rate. */
  readonly undecided: number
  /** Runs that broke, and below those that took too long: in no rate. */
  readonly errors: number
  readonly timeouts: number
  readonly rate: number | null
  readonly interval: readonly [number, number] | null
  readonly threshold: number
  readonly fired_instead: readonly string[]
  /** Whether a skill that must fire did, where none had; `null` where it was not asked. */
  readonly canary: 'failed' | 'fired' | null
}
