import type { Interval } from '../statistics/wilson.ts'

/** What the runs of a trigger query have shown. */
export interface TriggerPart {
  /** The skill whose use was counted; `null`: any. */
  readonly skill: string | null
  readonly shouldTrigger: boolean
  readonly query: string
  /** Runs that were asked for. */
  readonly runs: number
  /** Runs that were completed, or in which the skill had been used before they broke. */
  readonly completed: number
  readonly fired: number
  /** Runs among these in which only a sub-agent used the skill. */
  readonly firedInSubAgent: number
  /** Runs that broke; they are in no rate. */
  readonly errors: number
  /** Runs that took too long; they are in no rate. */
  readonly timeouts: number
  /** Runs whose first turn alone decided nothing; they are in no rate. Absent where there are none. */
  readonly undecided?: number
  /** Fired of completed; `null` when none completed. */
  readonly rate: number | null
  readonly interval: Interval | null
  readonly threshold: number
  /** Other skills that were used, the most frequent first. */
  readonly firedInstead: readonly { readonly skill: string; readonly runs: number }[]
  /** Skills whose call failed: these were not used. Absent where no call failed. */
  readonly failedCalls?: readonly { readonly skill: string; readonly runs: number }[]
  /** Whether a skill that must fire did, where nothing else had: `null` where it was not asked. */
  readonly canary: 'failed' | 'fired' | null
}
