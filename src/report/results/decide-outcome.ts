import { describeAllRefused, describeNestedSandbox } from '../../checks/agent-blocked.ts'
import type { CheckResult } from '../../checks/check.ts'
import { describeUnknownTool, kindOf } from '../../checks/checks.ts'
import { describeFailedOpen, failedOpenHooks } from '../../checks/hook-events.ts'
import { patternsOf, type Engines } from '../../engines/registry.ts'
import type { ErrorCode } from '../../lib/errors.ts'
import { hasChangedFiles, saysNothing } from '../../transcript/select.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import type { CaseResult, JudgePart, Outcome } from './result.ts'
import { MOD_EVENT } from '../../packages/hook-events.ts'

/** How a case came out and why. */
export interface Decision {
  readonly outcome: Exclude<Outcome, 'skipped'>
  /** One sentence; `null` when it passed. */
  readonly reason: string | null
  /** Set when the case errored. */
  readonly error: Omit<NonNullable<CaseResult['error']>, 'at'> | null
}

/**
 * Decides a run. One that did not complete can neither pass nor fail, whatever its checks say of the part that was seen.
 *
 * Among checks and judge a failure comes before what is broken, since a wrong result stays wrong.
 */
export function decideOutcome(
  checks: readonly CheckResult[],
  judge: JudgePart | null,
  run: AgentRun,
  engines?: Engines,
): Decision {
  if (run.status !== 'completed')
    return errored(run.problemCode ?? 'engine-failed', run.problem ?? `The run ended as ${run.status}.`)

  const nested = describeNestedSandbox(run, patternsOf('nestedSandbox', engines))
  if (nested !== null) return errored('engine-failed', nested)
  const unknown = describeUnknownTool(run, patternsOf('unknownTool', engines))
  if (unknown !== null) return errored('engine-failed', unknown)

  // Without its mod a session shows nothing of what the mod would have done.
  const mod = failedOpenHooks(run).find(({ event }) => event === MOD_EVENT)
  if (mod !== undefined) return errored('hook-failed-open', describeFailedOpen(mod, run))

  const unanswered = isUnanswered(checks, run)
  // What is only missing says nothing about an agent whose model broke off.
  const failed = checks.find(
    ({ kind, outcome }) => outcome === 'failed' && !(unanswered && kindOf(kind)?.needsOutput === true),
  )
  if (failed !== undefined) return failure(failed.message)
  if (unanswered && (judge?.result === 'failed' || checks.some(({ outcome }) => outcome === 'failed')))
    return errored('no-output', NO_OUTPUT)
  if (judge?.result === 'failed') return failure(judge.reason)

  const broken = checks.find((check) => check.outcome === 'errored')
  if (broken !== undefined)
    return errored(
      broken.code ?? (broken.kind === 'agent-blocked' ? 'hook-failed-open' : 'workspace-failed'),
      broken.message,
    )
  const [hook] = failedOpenHooks(run)
  if (hook !== undefined) return errored('hook-failed-open', describeFailedOpen(hook, run))
  const refused = describeAllRefused(run, patternsOf('refusal', engines))
  if (refused !== null) return errored('engine-failed', refused)

  if (judge === null || judge.result === 'passed') return { outcome: 'passed', reason: null, error: null }
  if (judge.result === 'skipped' && judge.reason === NO_OUTPUT) return errored('no-output', NO_OUTPUT)
  return errored(judge.error?.code ?? 'judge-failed', judge.error?.message ?? judge.reason)
}

/**
 * Why the judge is not asked about a run; `null` when it is. An empty output is judged only where the run left files, or
 * where a block explains it.
 */
export function whyNotJudged(
  checks: readonly CheckResult[],
  run: AgentRun,
  { judgeFailedCases }: JudgeRules,
): string | null {
  if (run.status !== 'completed') return `the run ended as ${run.status}`
  if (describeNestedSandbox(run, patternsOf('nestedSandbox')) !== null) return 'no call was carried out'
  const broken = checks.find((check) => check.outcome === 'errored')
  if (broken !== undefined) return 'a check could not be decided'
  if (failedOpenHooks(run).length > 0) return 'a hook of the package broke'
  if (!judgeFailedCases && checks.some((check) => check.outcome === 'failed')) return 'a check failed'
  return isUnanswered(checks, run) ? NO_OUTPUT : null
}

/** Part of the settings of a run. */
interface JudgeRules {
  readonly judgeFailedCases: boolean
}

function isUnanswered(checks: readonly CheckResult[], run: AgentRun): boolean {
  const blocked = checks.some(
    (check) => check.kind === 'agent-blocked' && check.value === true && check.outcome === 'passed',
  )
  return saysNothing(run.output) && !blocked && !hasChangedFiles(run)
}

const NO_OUTPUT = 'the agent gave no output and changed no file'

function failure(reason: string): Decision {
  return { outcome: 'failed', reason, error: null }
}

function errored(code: ErrorCode, message: string): Decision {
  return { outcome: 'errored', reason: message, error: { code, message } }
}

/** What the runs of a case have shown so far. */
export interface RunsSoFar {
  /** Runs that were planned. */
  readonly planned: number
  /** Runs that have ended, however they came out. */
  readonly ended: number
  /** Of these, runs that decide: the others are in no rate. */
  readonly completed: number
  /** Of these, runs that passed, or used the skill. */
  readonly passed: number
  /** Share of the completed runs that has to pass. */
  readonly threshold: number
}

/**
 * The fewest further runs after which the verdict may be certain; 0 once no outcome of the runs that are left can change it.
 *
 * So many runs can be made at once: one after the other as many would be made.
 */
export function runsDue(runs: RunsSoFar): number {
  const left = runs.planned - runs.ended
  for (let more = 0; more < left; more += 1)
    if ([0, more].some((passed) => isCertain(after(runs, more, passed)))) return more
  return left
}

function after({ ended, completed, passed, ...runs }: RunsSoFar, more: number, passing: number): RunsSoFar {
  return { ...runs, ended: ended + more, completed: completed + more, passed: passed + passing }
}

// A run that breaks leaves the rate as it is, so the extremes are that all of the rest pass, and that none does. While none
// has completed, all may break.
function isCertain({ planned, ended, completed, passed, threshold }: RunsSoFar): boolean {
  if (completed === 0) return planned === ended
  const left = planned - ended
  const [worst, best] = [passed / (completed + left), (passed + left) / (completed + left)]
  return worst >= threshold === best >= threshold
}
