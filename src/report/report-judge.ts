import type { Refusals } from '../judges/refusal.ts'
import type { ReportTally } from './build/report-statistics.ts'
import type { ReportUsage } from './report-cost.ts'

/** The judge of a report, and how often it could be relied on. */
export interface ReportJudge {
  readonly model: string | null
  readonly model_provider: string | null
  /** Verdicts that were not relied on when they were first given, by cause. */
  readonly refusals: Refusals['causes']
  /** Verdicts that were given, votes counted. */
  readonly verdicts: number
  /** How many of the refused ones counted after a second question. */
  readonly mended: number
  /** Statements that only the agent's own words prove. */
  readonly claims: number
}

export interface ReportJudgeVerdict {
  readonly result: 'PASS' | 'FAIL' | 'ERROR'
  readonly reason: string
  readonly model: string | null
  readonly model_provider: string | null
  readonly self_judged: boolean
  /** How often it was asked for verdicts. */
  readonly votes: number
  readonly usage: ReportUsage | null
  readonly cost_usd: number | null
}

export interface ReportExpectation {
  readonly text: string
  readonly result: 'PASS' | 'FAIL' | 'ERROR'
  /** Quoted by the judge, each with the id of its item: e an event, m a message, c a change on disk, f a file, r the end. */
  readonly evidence: readonly { readonly item: string | null; readonly quote: string }[]
  /** claim: only the agent's word. absence: nothing was found in complete evidence. `null` where nothing counts. */
  readonly rests: 'absence' | 'claim' | 'evidence' | null
  /** `output`, `transcript` or a file: where the first quote was found; `null` when nowhere. */
  readonly evidence_found_in: string | null
  readonly reason: string | null
  /** How many of the votes say so. */
  readonly agreement: { readonly agree: number; readonly of: number }
  /** Whether it holds without the skill too: of the runs that say, how many; absent where none was run without. */
  readonly without_skill?: ReportTally
  /** `check` where the expectation is a sentence of the documented list. */
  readonly decided_by: 'check' | 'judge'
  /** Why it proves little, whatever its result; `null` when it is fine. */
  readonly weak: string | null
}
