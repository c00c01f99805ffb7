import type { CheckResult } from '../../checks/check.ts'
import { AgentEvalsError, stopsNewWork } from '../../lib/errors.ts'
import type { Input } from '../../recordings/input.ts'
import { factsOf, seconds, summarizeRun } from '../../report/build/summarize-run.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import {
  resultWithoutRun,
  type CaseResult,
  type InputHash,
  type JudgePart,
  type PlannedCase,
  type ResultSource,
  type CaseTurn,
} from '../../report/results/result.ts'
import type { RunDecision } from '../../transcript/select.ts'
import type { AgentRun } from '../../transcript/transcript.ts'

/** Everything that a finished case leaves. */
interface FinishedCase {
  readonly planned: PlannedCase
  readonly startedAt: Date
  readonly source: ResultSource
  readonly recorded: CaseResult['recorded']
  readonly run: AgentRun
  /** Which of its runs, from 1. */
  readonly index: number
  readonly checks: readonly CheckResult[]
  readonly judge: JudgePart | null
  readonly graded?: CaseResult['graded']
  readonly trigger?: CaseResult['trigger']
  /** The decision that ended it early, where there was one. */
  readonly decided?: RunDecision | null | undefined
  readonly decision: Decision
  readonly turns?: readonly CaseTurn[]
  readonly inputs: readonly Input[]
  readonly notices: readonly string[]
  /** Folder of the evidence, relative to the Vitest root. */
  readonly folder: string
}

/** The result of a case that ran. */
export function buildResult(finished: FinishedCase): CaseResult {
  const { planned, startedAt, run, index, source, recorded, checks, judge, graded, trigger = null } = finished
  const { decided, decision, turns, inputs, notices, folder } = finished
  return {
    ...emptyResult(planned, startedAt),
    ...decision,
    ...factsOf(run),
    source,
    recorded,
    runs: [summarizeRun(run, index, folder, { decided, turns })],
    checks,
    judge,
    trigger,
    ...(graded === undefined ? {} : { graded }),
    hashes: inputs.map(toHash),
    notices: [...new Set(notices)],
  }
}

/** The result of what went wrong. Nothing is wrong with a case that may not spend. */
export function resultOf(error: unknown, planned: PlannedCase, startedAt: Date): CaseResult {
  return stopsNewWork(error)
    ? skipResult(planned, `not-run: ${error.message}`, startedAt)
    : errorResult(planned, error, startedAt)
}

/** The result of a case that could not be run. */
export function errorResult(planned: PlannedCase, error: unknown, startedAt: Date): CaseResult {
  // Unexpected errors keep their stack trace: the message alone would not show the place.
  const isKnown = error instanceof AgentEvalsError
  const message = error instanceof Error ? (isKnown ? error.message : (error.stack ?? error.message)) : String(error)
  return {
    ...emptyResult(planned, startedAt),
    outcome: 'errored',
    reason: message,
    error: {
      code: isKnown ? error.code : 'engine-failed',
      message,
      ...(isKnown && error.at ? { at: error.at } : {}),
      ...(isKnown && error.remedy !== undefined ? { remedy: error.remedy } : {}),
    },
  }
}

/** The result of a case that was not run, with the reason. */
export function skipResult(planned: PlannedCase, reason: string, startedAt: Date): CaseResult {
  return { ...emptyResult(planned, startedAt), outcome: 'skipped', reason, error: null }
}

/** What a case has that was not run, and when that was found out. */
export function emptyResult(planned: PlannedCase, startedAt: Date): Omit<CaseResult, 'error' | 'outcome' | 'reason'> {
  return { ...resultWithoutRun(planned), ...timesSince(startedAt) }
}

function timesSince(startedAt: Date): Pick<CaseResult, 'duration_seconds' | 'startedAt'> {
  return { startedAt: startedAt.toISOString(), duration_seconds: seconds(steadyNow().getTime() - startedAt.getTime()) }
}

/** An input as results hold it: without its place on this machine. */
export function toHash({ path, role, hash, base }: Input): InputHash {
  return { path, role, hash, ...(base === undefined ? {} : { base }) }
}

/** The present time, by a clock that is set once and never jumps: differences are durations. */
export function steadyNow(): Date {
  return new Date(performance.timeOrigin + performance.now())
}
