import { createRedactor } from '../../gateway/redact.ts'
import { decisionNotices, describeTrigger, triggerNotices } from '../../report/build/describe-trigger.ts'
import { sumCost, sumUsage } from '../../gateway/budget/spending.ts'
import { engineOf, snippetOf, summarizeRun } from '../../report/build/summarize-run.ts'
import { emptyResult, toHash } from './build-result.ts'
import { isAsExpected, type TriggerAttempt } from '../assess/count-triggers.ts'
import type { RunDecision } from '../../transcript/select.ts'
import type { AgentEvalsError } from '../../lib/errors.ts'
import {
  isScripted,
  type CaseResult,
  type PlannedCase,
  type ResultSource,
  type RunSummary,
  type TriggerPart,
} from '../../report/results/result.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'

/** One run of a query, finished or broken. */
export interface FinishedAttempt extends TriggerAttempt {
  /** From 1. */
  readonly index: number
  /** `null` when it could not be prepared. */
  readonly prepared: PreparedRun | null
  readonly run: AgentRun | null
  readonly source: ResultSource | null
  readonly recorded: CaseResult['recorded']
  /** Folder of the evidence, relative to the Vitest root. */
  readonly folder: string | null
  readonly error: AgentEvalsError | null
  readonly notices: readonly string[]
  /** What decided it; `null` where nothing did. */
  readonly decided: RunDecision | null
}

/** Everything that a finished query leaves. */
export interface FinishedTrigger {
  readonly planned: PlannedCase
  readonly startedAt: Date
  readonly attempts: readonly FinishedAttempt[]
  readonly part: TriggerPart
  /** Why the canary that was to judge a rate of 0 could not be tried. */
  readonly canaryError: AgentEvalsError | null
}

/** The result of a trigger query. */
export function buildTriggerResult({
  planned,
  startedAt,
  attempts,
  part: counted,
  canaryError,
}: FinishedTrigger): CaseResult {
  // What was written in advance has no chance in it.
  const isMeasured = attempts.every((attempt) => !isScripted(attempt))
  const part = isMeasured ? counted : { ...counted, interval: null }
  const ran = attempts.flatMap((attempt) => (attempt.run === null ? [] : [{ ...attempt, run: attempt.run }]))
  const [first] = ran
  const problems = attempts.flatMap(problemOf)
  return {
    ...emptyResult(planned, startedAt),
    ...decide(part, attempts, canaryError),
    source: first?.source ?? null,
    recorded: first?.recorded ?? null,
    ...(first === undefined
      ? {}
      : {
          engine: engineOf(first.run),
          sandbox: first.run.sandbox,
          outputSnippet: snippetOf(first.run.output, createRedactor(process.env)),
          usage: sumUsage(ran.map(({ run }) => run.usage)),
          costUsd: sumCost(ran.map(({ run }) => run.costUsd)),
        }),
    runs: ran.map(({ run, index, folder, decided }) => ({
      ...summarizeRun(run, index, folder),
      ...decisionOf(decided),
    })),
    trigger: part,
    hashes: (first?.prepared?.inputs ?? []).map(toHash),
    notices: [
      ...new Set([
        ...triggerNotices(part),
        ...decisionNotices(attempts.map(({ decided }) => decided)),
        ...problems,
        ...attempts.flatMap(({ notices }) => notices),
      ]),
    ],
  }
}

function decisionOf(decided: RunDecision | null): Pick<RunSummary, 'decided'> {
  return decided === null ? {} : { decided }
}

function decide(
  part: TriggerPart,
  attempts: readonly FinishedAttempt[],
  canaryError: AgentEvalsError | null,
): Pick<CaseResult, 'error' | 'outcome' | 'reason'> {
  if (part.completed === 0) {
    // What broke says more than what was left open.
    const broken = attempts.find(({ undecided }) => undecided === undefined)
    if (broken === undefined) return undecidedBy(attempts)
    const code = broken.error?.code ?? broken.run?.problemCode ?? 'engine-failed'
    const why = problemOf(broken)[0] ?? 'No run completed.'
    const message = `${part.runs === 1 ? 'The run did not complete.' : `None of the ${part.runs} runs completed.`} ${why}`
    const remedy = broken.error?.remedy
    return {
      outcome: 'errored',
      reason: message,
      error: { code, message, ...(remedy === undefined ? {} : { remedy }) },
    }
  }
  if (canaryError !== null) {
    const { code } = canaryError
    const message = `No run used any skill, and it is unknown whether skills work. ${canaryError.message}`
    return { outcome: 'errored', reason: message, error: { code, message } }
  }
  if (part.canary === 'failed') {
    const message =
      'No run used any skill, and a run that asks for the canary skill did not use it either. So skills do not work here, or their use is not observed. A rate of 0 is then no evidence about the description.'
    return { outcome: 'errored', reason: message, error: { code: 'canary-failed', message } }
  }
  if (isAsExpected(part)) return { outcome: 'passed', reason: null, error: null }
  return { outcome: 'failed', reason: describeTrigger(part), error: null }
}

function undecidedBy(attempts: readonly FinishedAttempt[]): Pick<CaseResult, 'error' | 'outcome' | 'reason'> {
  const reasons = new Set(attempts.flatMap(({ undecided }) => undecided ?? []))
  const none = attempts.length === 1 ? 'The run was not decided.' : `None of the ${attempts.length} runs was decided.`
  const message = [none, ...reasons].join(' ')
  return { outcome: 'errored', reason: message, error: { code: 'first-turn-undecided', message } }
}

function problemOf({ index, run, problem, undecided }: FinishedAttempt): readonly string[] {
  const why = problem ?? undecided ?? (run === null || run.status === 'completed' ? null : (run.problem ?? run.status))
  return why === null ? [] : [`Run ${index}: ${why}`]
}
