import type { Arm } from '../../formats/suite.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { GraderResult } from '../../judges/grader-score.ts'
import type { JudgePart } from '../../judges/judgement.ts'
import type { Position } from '../../lib/documents/document.ts'
import type { ErrorCode, ErrorPlace } from '../../lib/errors.ts'
import { sum } from '../../lib/lists.ts'
import type { Input } from '../../recordings/input.ts'
import type { FileChanges, StopReason } from '../../transcript/transcript.ts'
import type { Report, ReportCase, ReportRun, ReportTally, ReportTrigger, ReportTurn, ReportUsage } from '../report.ts'

export type { JudgePart }

/** How a case came out. Never merged. */
export type Outcome = ReportCase['outcome']

/** Where a case's answers came from. */
export type ResultSource = NonNullable<ReportCase['source']>

/** Whether somebody wrote the answers of a case in advance: such a result measures no model. */
export function isScripted({
  source,
  recorded,
}: {
  readonly source: string | null
  readonly recorded: { readonly origin: string } | null
}): boolean {
  return source === 'scenario' || recorded?.origin === 'scenario'
}

/** Fields of a case in the report that its worker sets; `build-case.ts` copies them. */
type CaseFields = Pick<
  ReportCase,
  | 'agent'
  | 'agent_output_snippet'
  | 'cached'
  | 'duration_seconds'
  | 'notices'
  | 'outcome'
  | 'record'
  | 'recorded'
  | 'repeats'
  | 'reused_from'
  | 'sabotage'
  | 'sandbox'
  | 'source'
>

/** The JSON a finished case leaves: one line of the journal. The report is folded from these. */
export interface CaseResult extends PlannedCase, CaseFields {
  /** Why it was skipped, or one sentence on why it failed or errored; `null` when it passed. */
  readonly reason: string | null
  /** `at` is where the mistake is, where that is not the case itself; `remedy` what to do about this case alone. */
  readonly error: {
    readonly code: ErrorCode
    readonly message: string
    readonly at?: ErrorPlace
    readonly remedy?: string
  } | null
  /** ISO 8601. */
  readonly startedAt: string
  /** Requested model; `null` when the engine chose. */
  readonly modelAsked: string | null
  readonly runs: readonly CaseRun[]
  readonly checks: readonly CheckResult[]
  readonly judge: JudgePart | null
  /** What the graders of a `claude plugin eval` case found; absent for every other case. */
  readonly graded?: GradedPart
  /** What a trigger query has shown; `null` for every other case. */
  readonly trigger: CaseTrigger | null
  readonly hashes: readonly InputHash[]
  /** Hash of everything that the result depends on; absent when it never got so far. */
  readonly key?: string
  /** What the tries took that this result replaced; absent when it was the only one. */
  readonly replaced?: CaseSpending
}

/** What one case took. */
export interface CaseSpending {
  readonly agent: Spending
  readonly judge: Spending
}

/** What was spent, as far as it is known. */
export interface Spending {
  /** US dollars of the known parts. */
  readonly usd: number
  /** Whether a part has an unknown cost. */
  readonly hasUnknown: boolean
  /** Tokens of the known parts; `null` when none are known. */
  readonly usage: ReportUsage | null
}

/** A case as it is known before it runs. Written to `run.json`, so that nothing planned can vanish. */
export interface PlannedCase {
  /**
   * `<suite file>#<case id>`, with `@<model>` where several run it and `@<arm>` where there is one; the file is relative
   * to the package. Unique per package and engine.
   */
  readonly id: string
  readonly name: string
  /** The model that runs it, where several run the same cases. */
  readonly model?: string
  /** What was left out of its session, for comparison; absent for the case itself. */
  readonly arm?: Arm
  /** Suite file relative to the package. */
  readonly suite: string
  readonly format: string
  /** Suite file relative to the Vitest root. */
  readonly file: string
  readonly at: Position
  /** Whether other cases of the file start at its line. */
  readonly sharesLine?: true
  /** As written, such as `skill:pdf-tools`. */
  readonly target: string | null
  readonly category: string | null
  readonly tags: readonly string[]
  /** Absolute path of the package. */
  readonly packageRoot: string
  readonly engineName: string
  /** Given where the option `quarantine` names it: it gates nothing. */
  readonly quarantined?: true
  /** What it asks, hashed part by part; journals of before do not say. */
  readonly asked?: readonly AskedHash[]
}

/** The id that all models and arms of a case share. */
export function sharedId({ id, model, arm }: Pick<PlannedCase, 'arm' | 'id' | 'model'>): string {
  const suffix = [model, arm].flatMap((part) => (part === undefined ? [] : [`@${part}`])).join('')
  return suffix === '' ? id : id.slice(0, -suffix.length)
}

/** One file that a case depended on. */
export type InputHash = Pick<Input, 'base' | 'hash' | 'path' | 'role'>

/** One part of what a case asks. */
export interface AskedHash {
  readonly role: 'checks' | 'code' | 'criteria' | 'judge-prompt' | 'prompt' | 'workspace'
  /** SHA-256, hex. */
  readonly hash: string
}

/** One run of a case as the report has it, without its transcript (that is a file of the run folder). */
export interface CaseRun extends Omit<ReportRun, 'turns' | 'verdict'> {
  readonly turns?: readonly CaseTurn[]
  readonly internal: {
    /** How the model's last answer ended; absent where that is unknown. */
    readonly stopReason?: StopReason
    /** Calls that were refused or failed, in one line each. Absent where there are none. */
    readonly failedCalls?: readonly string[]
    /** Last message of the main thread, its first 2,000 characters. */
    readonly lastMessage: string
    /** Absolute path of its workspace, where that was kept. */
    readonly workspace?: string
    /** Of a run of a test in TypeScript that is kept whole: hash of everything that it depends on. */
    readonly key?: string
    /** Name of the run of Vitest that such a run was taken over from. */
    readonly reusedFrom?: string
  }
  /** How this run came out, where a case is run several times. */
  readonly verdict?: RunVerdict
}

/** How a turn came out. Its checks and statements are those of the case that have its number. */
export interface CaseTurn extends ReportTurn {
  readonly internal: Pick<FileChanges, 'unreadable'>
}

/** How one of several runs came out. */
export type RunVerdict = Pick<CaseResult, 'checks' | 'graded' | 'judge' | 'outcome' | 'reason'>

/** What the graders of a `claude plugin eval` case found. Plain JSON. */
export interface GradedPart {
  /** 0 to 1: of one run, or the mean of the runs that have one; `null` where there is none. */
  readonly score: number | null
  /** From which score on the case passes. */
  readonly threshold: number
  /** Of one run. */
  readonly graders: readonly GraderResult[]
}

/** The mean of the scores that are known; `null` where none is. */
export function meanScore(scores: readonly (number | null)[]): number | null {
  const numbers = scores.filter((score) => score !== null)
  return numbers.length === 0 ? null : sum(numbers) / numbers.length
}

/** Says how a score compares with its threshold, and which graders that count did not pass. */
export function describeScore({ score, threshold, graders }: GradedPart): string {
  const missed = graders
    .filter(({ result, scored }) => scored && result !== 'PASS')
    .map(({ name, explanation }) => `${name}: ${explanation}`)
  const value = score === null ? 'no score' : `score ${score.toFixed(2)}`
  return [`${value}, threshold ${threshold.toFixed(2)}`, ...missed].join('; ')
}

/** What the runs of a trigger query have shown. */
export interface CaseTrigger extends ReportTrigger {
  readonly internal: {
    readonly query: string
    /** Other skills that were used, the most frequent first. */
    readonly firedInstead: readonly { readonly skill: string; readonly runs: number }[]
    /** Skills whose call failed: these were not used. Absent where no call failed. */
    readonly failedCalls?: readonly { readonly skill: string; readonly runs: number }[]
  }
}

/** How a run ended. `partial`: some planned cases were not run. `recovered`: written after the run was lost. */
export type ReportStatus = Report['status']

/** Outcomes in the words of the AAM text. */
export const VERDICTS = { passed: 'PASS', failed: 'FAIL', errored: 'ERROR', skipped: 'SKIP' } as const

/** The outcome of each verdict. */
export const OUTCOMES = { PASS: 'passed', FAIL: 'failed', ERROR: 'errored', SKIP: 'skipped' } as const

/** Whether a case passed or failed. */
export function isDecided({ outcome }: { readonly outcome: Outcome }): boolean {
  return outcome === 'passed' || outcome === 'failed'
}

/** How many cases came out how. Those that passed or failed are `decided`. */
export function countOutcomes(
  cases: readonly { readonly outcome: Outcome }[],
): Readonly<Record<Outcome | 'decided', number>> {
  const counts = { passed: 0, failed: 0, errored: 0, skipped: 0 }
  for (const { outcome } of cases) counts[outcome] += 1
  return { ...counts, decided: counts.passed + counts.failed }
}

/** How many cases came out how, in words; empty without a case. */
export function describeOutcomes(cases: readonly { readonly outcome: Outcome }[]): string {
  const { decided: _, ...counts } = countOutcomes(cases)
  return Object.entries(counts)
    .flatMap(([outcome, count]) => (count === 0 ? [] : [`${count} ${outcome}`]))
    .join(', ')
}

/** How many of a case's runs passed, or used the skill of a trigger query as they should. */
export function tallyOf(one: Tallied): ReportTally {
  const { repeats, trigger, outcome } = one
  if (trigger !== null) {
    const { should_trigger: shouldTrigger, fired, completed } = trigger
    return { passed: shouldTrigger ? fired : completed - fired, completed }
  }
  if (repeats !== null) return { passed: repeats.passed, completed: repeats.completed }
  return { passed: Number(outcome === 'passed'), completed: Number(isDecided(one)) }
}

interface Tallied {
  readonly outcome: Outcome
  readonly repeats: ReportTally | null
  readonly trigger: Pick<ReportTrigger, 'completed' | 'fired' | 'should_trigger'> | null
}

/** What a case has that was not run; its outcome says why. */
export function resultWithoutRun(planned: PlannedCase): Omit<CaseResult, 'error' | 'outcome' | 'reason'> {
  return {
    ...planned,
    startedAt: '',
    duration_seconds: 0,
    source: null,
    recorded: null,
    agent: {
      runtime: planned.engineName,
      runtime_version: null,
      model: null,
      model_provider: null,
      session_id: null,
    },
    modelAsked: null,
    runs: [],
    repeats: null,
    checks: [],
    judge: null,
    trigger: null,
    agent_output_snippet: null,
    sabotage: null,
    sandbox: null,
    hashes: [],
    reused_from: null,
    cached: false,
    notices: [],
  }
}

/** When a result was there. */
export function endOf({ startedAt, duration_seconds: took }: CaseResult): Date {
  return new Date(Date.parse(startedAt) + Math.round(took * 1000))
}

/** Whether a planned case was never run, whatever the reason. */
export function isNotRun(result: CaseResult): boolean {
  return result.outcome === 'skipped' && (result.reason ?? '').startsWith(NOT_RUN)
}

/** How the reason begins why a planned case was not run. */
export const NOT_RUN = 'not-run'
