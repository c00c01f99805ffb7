import type { ReportTriggers } from '../report-statistics.ts'
/** Tokens of a run or a case. */
export interface PageUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
}

/** How a check or an expectation came out. */
export type PageResult = 'ERROR' | 'FAIL' | 'PASS'

/** How a case came out. */
export type PageOutcome = 'errored' | 'failed' | 'passed' | 'skipped'

/** A share, and the interval in which the true one is. */
export interface PageRate {
  readonly rate: number | null
  readonly interval: readonly [number, number] | null
}

/** What the judge decided. */
export interface PageJudge {
  readonly result: PageResult
  readonly reason: string
  readonly model: string | null
  readonly self_judged: boolean
  readonly votes: number
  readonly cost_usd: number | null
}

/** One check. */
export interface PageCheck {
  readonly kind: string
  readonly value: boolean | string
  readonly line: number
  readonly result: PageResult
  readonly message: string | null
  readonly weak: string | null
}

/** One sentence that was judged. */
export interface PageExpectation {
  readonly text: string
  readonly result: PageResult
  readonly evidence: string | null
  readonly evidence_found_in: string | null
  readonly reason: string | null
  readonly agreement: { readonly agree: number; readonly of: number } | null
  readonly decided_by: 'check' | 'judge'
  readonly weak: string | null
}

/** What one grader of a `claude plugin eval` case found. */
export interface PageGrader {
  readonly name: string
  readonly type: string
  readonly line: number
  readonly weight: number
  readonly scored: boolean
  readonly result: PageResult
  readonly explanation: string
  readonly votes: readonly (boolean | null)[] | null
  readonly ours: { readonly reason: string; readonly quote: string | null } | null
}

/** The score of a `claude plugin eval` case and its graders. */
export interface PageGraded {
  readonly score: number | null
  readonly threshold: number | null
  readonly graders: readonly PageGrader[]
}

/** One run of a case, as the report has it. */
export interface PageCaseRun {
  readonly index: number
  readonly status: string
  readonly problem: string | null
  readonly exit_code: number | null
  readonly duration_seconds: number | null
  readonly requests: number | null
  readonly usage: PageUsage | null
  readonly cost_usd: number | null
  readonly files: {
    readonly created: readonly { readonly path: string; readonly size: number }[]
    readonly modified: readonly { readonly path: string; readonly size: number }[]
    readonly deleted: readonly string[]
    readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
  }
  readonly tool_calls: Readonly<Record<string, number>>
  readonly skills_used: readonly string[]
  /** What decided a run of a trigger query; `null` for every other run. */
  readonly decided_by: 'full' | 'probe' | 'probe+full' | null
  readonly decided_because: string | null
  readonly verified: boolean | null
  readonly folder: string | null
  /** How this run came out, where there are several. */
  readonly verdict: {
    readonly outcome: PageOutcome
    readonly error: string | null
    readonly checks: readonly PageCheck[]
    readonly judge_verdict: PageJudge | null
    readonly expectations: readonly PageExpectation[]
    readonly graded: PageGraded | null
  } | null
}

/** What the runs of a query have shown. */
export interface PageTrigger extends PageRate {
  readonly skill: string | null
  readonly should_trigger: boolean
  readonly runs: number
  readonly completed: number
  readonly fired: number
  readonly undecided: number
  readonly errors: number
  readonly threshold: number | null
  readonly fired_instead: readonly string[]
}

/** One case of a report. What the report does not say is `null` or empty. */
export interface PageCase {
  readonly id: string | null
  readonly name: string
  readonly arm: string | null
  readonly target: string | null
  readonly outcome: PageOutcome
  readonly duration_seconds: number | null
  readonly judge_verdict: PageJudge | null
  readonly judge_skipped: string | null
  readonly agent_output_snippet: string | null
  readonly error: string | null
  readonly error_code: string | null
  readonly skip_reason: string | null
  readonly suite: string
  readonly format: string
  readonly file: string
  readonly line: number
  readonly category: string | null
  readonly tags: readonly string[]
  readonly engine: string | null
  readonly agent: { readonly runtime_version: string | null; readonly model: string | null } | null
  readonly source: string | null
  readonly recorded: { readonly at: string; readonly origin: string; readonly engine_version: string | null } | null
  readonly runs: readonly PageCaseRun[]
  readonly repeats:
    | (PageRate & {
        readonly runs: number
        readonly completed: number
        readonly passed: number
        readonly errors: number
        readonly threshold: number | null
      })
    | null
  readonly checks: readonly PageCheck[]
  readonly expectations: readonly PageExpectation[]
  readonly scores: Readonly<Record<string, number | null>> | null
  readonly weighted_score: number | null
  readonly graded: PageGraded | null
  readonly hard_fails: readonly string[]
  readonly trigger: PageTrigger | null
  readonly usage: PageUsage | null
  readonly cost_usd: number | null
  readonly sandbox: { readonly asked: string; readonly enforced: string } | null
  readonly hashes: readonly { readonly path: string; readonly role: string; readonly hash: string }[]
  readonly reused_from: string | null
  readonly notices: readonly string[]
}

/** What a skill adds. */
export interface PageLift {
  readonly target: string
  readonly cases: number
  readonly with_skill: PageRate & { readonly passed: number; readonly completed: number }
  readonly without_skill: PageRate & { readonly passed: number; readonly completed: number }
  readonly difference: number | null
  readonly better: number
  readonly worse: number
  readonly same: number
  readonly p_value: number | null
  readonly too_few: boolean
}

/** What a report says of all its cases. */
export interface PageReport {
  readonly id: string | null
  readonly timestamp: string | null
  readonly duration_seconds: number | null
  readonly status: string
  readonly source: string | null
  readonly agent_evals_version: string | null
  readonly vitest_version: string | null
  readonly price_table: string | null
  readonly git: { readonly commit: string; readonly dirty: boolean } | null
  readonly agent: {
    readonly runtime: string | null
    readonly runtime_version: string | null
    readonly model: string | null
  } | null
  readonly judge: { readonly model: string | null } | null
  readonly config: { readonly judge: string | null; readonly timeout: number | null } | null
  readonly environment: {
    readonly os: string | null
    readonly arch: string | null
    readonly node_version: string | null
    readonly python_version: string | null
  } | null
  readonly package: { readonly name: string | null; readonly version: string | null } | null
  readonly lift: readonly PageLift[]
  readonly triggers: readonly ReportTriggers[]
  readonly notices: readonly string[]
}

/** A report with its cases. */
export interface ParsedReport {
  readonly report: PageReport
  readonly cases: readonly PageCase[]
}
