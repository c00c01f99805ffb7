import { decisionNotices, describeTrigger, triggerNotices } from '../../report/build/describe-trigger.ts'
import { factsOf, summarizeRun } from '../../report/build/summarize-run.ts'
import { emptyResult, toHash } from './build-result.ts'
import { isAsExpected, type TriggerAttempt } from '../assess/count-triggers.ts'
import type { RunDecision } from '../../transcript/select.ts'
import type { AgentEvalsError } from '../../lib/errors.ts'
import {
  isScripted,
  type CaseResult,
  type PlannedCase,
  type ResultSource,
  type CaseTrigger,
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
  readonly part: CaseTrigger
}

/** The result of a trigger query. */
export function buildTriggerResult({ planned, startedAt, attempts, part: counted }: FinishedTrigger): CaseResult {
  // What was written in advance has no chance in it.
  const isMeasured = attempts.every((attempt) => !isScripted(attempt))
  const part = isMeasured ? counted : { ...counted, interval: null }
  const ran = attempts.flatMap((attempt) => (attempt.run === null ? [] : [{ ...attempt, run: attempt.run }]))
  const [first] = ran
  const problems = attempts.flatMap(problemOf)
  return {
    ...emptyResult(planned, startedAt),
    ...decide(part, attempts),
    source: first?.source ?? null,
    recorded: first?.recorded ?? null,
    ...(first === undefined ? {} : factsOf(first.run)),
    runs: ran.map(({ run, index, folder, decided }) => summarizeRun(run, index, folder, { decided })),
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

function decide(
  part: CaseTrigger,
  attempts: readonly FinishedAttempt[],
): Pick<CaseResult, 'error' | 'outcome' | 'reason'> {
  if (part.completed === 0) {
    const [broken] = attempts
    const code = broken?.error?.code ?? broken?.run?.problemCode ?? 'engine-failed'
    const [why = 'No run completed.'] = attempts.slice(0, 1).flatMap(problemOf)
    const message = `${part.runs === 1 ? 'The run did not complete.' : `None of the ${part.runs} runs completed.`} ${why}`
    const remedy = broken?.error?.remedy
    return {
      outcome: 'errored',
      reason: message,
      error: { code, message, ...(remedy === undefined ? {} : { remedy }) },
    }
  }
  if (isAsExpected(part)) return { outcome: 'passed', reason: null, error: null }
  return { outcome: 'failed', reason: describeTrigger(part), error: null }
}

function problemOf({ index, run, problem }: FinishedAttempt): readonly string[] {
  const why = problem ?? (run === null || run.status === 'completed' ? null : (run.problem ?? run.status))
  return why === null ? [] : [`Run ${index}: ${why}`]
}
