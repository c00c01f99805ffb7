import { decideReplay } from '../../replay/decide-replay.ts'
import { writeJudgeExchanges } from '../../report/export/write-evidence.ts'
import { createJudgeRecorder } from '../judge/judge-recorder.ts'
import { checksOfGraders, decideGraded, describeIndicators, gradeRun, isGradable, rolesFor } from './grade-run.ts'
import type { GradedCase } from './graded-case.ts'
import type { AbortedRun } from '../../results/graded-part.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { AnsweredCall } from '../../transcript/agent-run.ts'
import type { GradedRun } from '../../graders/graded-run.ts'
import type { PreparedRun } from '../../replay/prepared-run.ts'
import type { Decision } from '../../results/decide-outcome.ts'
import type { CaseResult } from '../../results/result.ts'
import type { CaseRequest } from '../case-request.ts'
import type { ExecutedRun } from '../execute-run.ts'

/** What graders found, and what it means for the run. */
export interface GradedAssessment extends Pick<CaseResult, 'checks' | 'graded' | 'judge'> {
  readonly decision: Decision
  readonly notices: readonly string[]
}

/** Grades a run of a `claude plugin eval` case. One whose recording does not hold, or that broke, has no score. */
export async function assessGraded(
  request: Omit<CaseRequest, 'evalCase'> & { readonly evalCase: GradedCase },
  prepared: PreparedRun,
  { outcome, review, evidence, keepRecording }: ExecutedRun,
  files: GradedRun['files'],
): Promise<GradedAssessment> {
  const { evalCase, settings, signal } = request
  const { run } = outcome
  keepRecording(null)
  if (!isGradable(run) || review.problem !== null)
    return {
      checks: [],
      judge: null,
      decision: decideReplay(decideGraded(null, null, run), review.problem),
      notices: [],
    }

  const aborted = (run.mockCalls ?? []).find(({ verdict }) => verdict === 'abort') ?? null
  // A call that a mock refuses scores 0, whatever graders would say: none is asked.
  const { plugins = [] } = prepared.request
  const roles = aborted === null ? rolesFor(evalCase, plugins, settings) : []
  const {
    graded: scored,
    judge,
    exchanges,
  } = await gradeRun(evalCase, roles, plugins, {
    label: prepared.request.label,
    run,
    graded: { run, files, mockCalls: run.mockCalls ?? null },
    settings,
    judges: createJudgeRecorder(outcome, prepared.source),
    signal,
  })
  const graded = aborted === null ? scored : { ...scored, score: 0, aborted: toAborted(aborted) }
  await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, exchanges, redactor))
  return {
    checks: [...checksOfGraders(graded.graders), ...(aborted === null ? [] : [abortedCheck(aborted, evalCase)])],
    graded,
    judge,
    decision: decideReplay(decideGraded(graded, judge, run), review.problem),
    notices: [...describeIndicators(graded.graders), ...(judge?.notices ?? [])],
  }
}

function toAborted({ server, tool, output }: AnsweredCall): AbortedRun {
  return { server, tool: tool.split('__').at(-1) ?? tool, reason: output }
}

function abortedCheck({ tool, output }: AnsweredCall, { at }: Pick<GradedCase, 'at'>): CheckResult {
  return { kind: 'mock', value: tool, at, outcome: 'failed', message: `The mock of ${tool} ended the run: ${output}` }
}
