import type { ReportExpectation, ReportJudge, ReportJudgeVerdict } from './report-judge.ts'
import type { DecidedBy } from '../results/run-decision.ts'
import type { ReportGraded } from './report-graded.ts'
import type { ErrorCode } from '../errors.ts'
import type { FixtureBase } from '../suites/suite.ts'
import type { HookWords } from '../transcript/transcript.ts'
import type {
  ReportLift,
  ReportNoise,
  ReportRepeats,
  ReportTrigger,
  ReportTriggers,
} from './build/report-statistics.ts'
import type { ReportCost, ReportUsage } from './report-cost.ts'
import type { Outcome, ResultSource } from '../results/result.ts'
import type { ReportStatus } from '../results/report-status.ts'

/** Verdict of a case in the words of the AAM text, with `ERROR` for what could not be completed. */
export type ReportVerdict = 'PASS' | 'FAIL' | 'ERROR' | 'SKIP'

/** Report of one package and engine, `evals/reports/<timestamp>.json`. Unknown is `null`. */
export interface Report {
  readonly version: 1
  readonly id: string
  /** Start of the run, ISO 8601 in UTC. */
  readonly timestamp: string
  readonly duration_seconds: number
  readonly status: ReportStatus
  /** Where the answers came from; `mixed` when the cases differ, `null` when none ran. */
  readonly source: ResultSource | 'mixed' | null
  readonly agent_evals_version: string | null
  readonly vitest_version: string | null
  /** Where `cost_usd` comes from, such as `@pydantic/genai-prices 0.1.8`. */
  readonly price_table: string | null
  readonly plan: string | null
  readonly git: { readonly commit: string; readonly dirty: boolean } | null
  readonly config: {
    readonly engine: string | null
    readonly engine_version: string | null
    readonly judge: string | null
    readonly timeout: number | null
  }
  readonly agent: ReportAgent
  readonly judge: ReportJudge
  readonly environment: {
    readonly os: string
    readonly arch: string
    /** Always null: the program `aam` takes no part. `agent_evals_version` says what ran. */
    readonly aam_version: null
    readonly node_version: string
    readonly python_version: string | null
  }
  readonly package: { readonly name: string | null; readonly version: string | null }
  readonly summary: ReportSummary
  readonly cases: readonly ReportCase[]
  /** What the skill adds, for each target that was also run without it; absent where none was. */
  readonly lift?: readonly ReportLift[]
  /** How much equal runs differ; absent where no case was run twice. */
  readonly noise?: ReportNoise
  /** Path from the Vitest root of the report whose runs were judged again; absent where the agent ran. */
  readonly rejudged_from?: string
  /** One table for each suite with trigger queries; absent where there are none. */
  readonly triggers?: readonly ReportTriggers[]
  /** Remarks on the report as a whole. */
  readonly notices: readonly string[]
}

/** What answered as the agent. */
export interface ReportAgent {
  readonly runtime: string | null
  readonly runtime_version: string | null
  readonly model: string | null
  readonly model_provider: string | null
  readonly session_id: string | null
}

/** Counts that are never merged: `total` is the sum of the four. What ran for comparison only is not among them, but for what it cost. */
export interface ReportSummary {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly errored: number
  readonly skipped: number
  /** Passed of passed and failed, two decimals; `null` when there are none. */
  readonly pass_rate: number | null
  /** US dollars of agents and judges, as far as they are known; `null` when nothing is. */
  readonly cost_usd: number | null
  /** Cases with a part of unknown cost, which is not in `cost_usd`. */
  readonly unknown_cost_cases: number
  /** Tokens of agents and judges, as far as they are known; `null` when nothing is. */
  readonly tokens: ReportUsage | null
}

/** One case of a report. */
export interface ReportCase {
  readonly id: string
  readonly name: string
  /** What was left out of its session for comparison; `null` for the case itself. */
  readonly arm: 'without_skill' | null
  readonly target: string | null
  readonly verdict: ReportVerdict
  readonly outcome: Outcome
  readonly duration_seconds: number
  /** Declared checks only, one entry per kind. */
  readonly deterministic_checks: Readonly<Record<string, 'PASS' | 'FAIL' | 'ERROR'>>
  /** `null` when no judge ran. */
  readonly judge_verdict: ReportJudgeVerdict | null
  /** Why no judge ran; `null` when one did, or none was declared. */
  readonly judge_skipped: string | null
  readonly agent_output_snippet: string | null
  /** Why it failed or errored. */
  readonly error: string | null
  readonly error_code: ErrorCode | null
  readonly skip_reason: string | null
  readonly suite: string
  readonly format: string
  readonly file: string
  readonly line: number
  readonly column: number | null
  readonly category: string | null
  readonly tags: readonly string[]
  readonly engine: string
  readonly agent: ReportAgent
  readonly source: ResultSource | null
  /** Given where the engine's own stream is the record of its runs, and not what the gateway saw. */
  readonly record?: 'engine'
  /** Recording that was played. */
  readonly recorded: { readonly at: string; readonly origin: string; readonly engine_version: string | null } | null
  readonly runs: readonly ReportRun[]
  /** What its runs have shown together; `null` where it was run once. */
  readonly repeats: ReportRepeats | null
  readonly checks: readonly ReportCheck[]
  readonly expectations: readonly ReportExpectation[] | null
  /** By dimension of the rubric; `null` for one that does not apply. */
  readonly scores: Readonly<Record<string, number | null>> | null
  readonly weighted_score: number | null
  readonly graded?: ReportGraded
  readonly hard_fails: readonly string[] | null
  readonly trigger: ReportTrigger | null
  /** Tokens of agent and judge. */
  readonly usage: ReportUsage | null
  /** US dollars of agent and judge, all runs and retries; `null` when a part is unknown or nothing ran. */
  readonly cost_usd: number | null
  /** Its parts; `null` when nothing ran. */
  readonly cost: ReportCost | null
  /** Whether a hook case fails with a hook that does nothing; `null` where that was not tried. */
  readonly sabotage: 'noticed' | 'unknown' | 'unnoticed' | null
  readonly sandbox: { readonly asked: string; readonly enforced: string } | null
  readonly hashes: readonly ReportHash[]
  /** Hash of everything that its agent's vault holds, by path; `null` for every other case. */
  readonly vault_hash: string | null
  /** Name of the unfinished run that the result was taken over from. */
  readonly reused_from: string | null
  readonly notices: readonly string[]
}

export interface ReportCheck {
  readonly kind: string
  readonly value: string | boolean
  readonly line: number
  readonly result: 'PASS' | 'FAIL' | 'ERROR'
  readonly message: string | null
  /** Why it proves little, whatever its result; `null` when it is fine. */
  readonly weak: string | null
}

/** A file that the case depended on, or a part of what it asks. */
export interface ReportHash {
  readonly path: string
  readonly role: string
  readonly hash: string
  /** Of an eval's file: the folder below which it was found. */
  readonly base?: FixtureBase
}

export interface ReportRun {
  readonly index: number
  readonly status: string
  readonly problem: string | null
  readonly exit_code: number | null
  readonly duration_seconds: number
  readonly requests: number
  readonly usage: ReportUsage | null
  readonly cost_usd: number | null
  readonly files: {
    readonly created: readonly ReportFile[]
    readonly modified: readonly ReportFile[]
    readonly deleted: readonly string[]
    readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
  }
  readonly hooks: readonly {
    readonly event: string
    readonly tool: string | null
    readonly decision: string
    readonly exit_code: number | null
    readonly reason: string
    /** What the hook told somebody, each text up to 500 characters, and whether the gateway saw the model get it. */
    readonly told: readonly {
      readonly what: HookWords['what']
      readonly text: string
      readonly reached_model: boolean
    }[]
  }[]
  readonly tool_calls: Readonly<Record<string, number>>
  readonly skills_used: readonly string[]
  /** What decided a run of a trigger query; `null` where nothing did, and for every other run. */
  readonly decided_by: DecidedBy | null
  /** Why the first model turn alone did not decide it; `null` where it did. */
  readonly decided_because: string | null
  /** Whether a probe and a full run came to the same; `null` where not both were run. */
  readonly verified: boolean | null
  /** Below the Vitest root; `null` when nothing was kept. */
  readonly folder: string | null
  /** How this run came out; `null` where it is the only one, and the case says it. */
  readonly verdict: ReportRunVerdict | null
}

/** How one of several runs of a case came out. */
export interface ReportRunVerdict {
  readonly outcome: Outcome
  /** Why it did not pass. */
  readonly error: string | null
  readonly checks: readonly ReportCheck[]
  readonly judge_verdict: ReportJudgeVerdict | null
  readonly expectations: readonly ReportExpectation[] | null
  readonly graded?: ReportGraded
}

export type ReportFile = { readonly path: string; readonly size: number; readonly hash: string }
