import { decideReplay } from '../replay/decide-replay.ts'
import { writeJudgeExchanges } from '../../report/results/write-evidence.ts'
import {
  checksOfGraders,
  decideLocally,
  decideGraded,
  describeIndicators,
  gradeRun,
  isGradable,
  rolesFor,
  type GradedCase,
} from '../assess/grade-run.ts'
import { readTargetFiles } from '../assess/findings.ts'
import { createJudgeRecorder } from '../judge/judge-recorder.ts'
import { resultOfRun, task, type Assessment } from './task.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { TargetContent } from '../../checks/targets.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { AnsweredCall } from '../../transcript/transcript.ts'
import type { Run } from '../context.ts'
import type { ExecutedRun } from '../execute.ts'
import type { CaseKind } from './kind.ts'

/** A case of `claude plugin eval`: a task that graders score. */
export const pluginEval: CaseKind<GradedCase> = {
  ...task,
  whySkipped: () => null,
  // The report has the mean score of all runs.
  mayEndEarly: false,
  start(run, prepared, key) {
    const { evalCase, settings } = run
    let targets: ReadonlyMap<string, TargetContent> = new Map()
    return {
      inspect: async (root) => {
        targets = await readTargetFiles(evalCase.pluginEval.graders, root)
      },
      outcomeOf: (ended) => decideLocally(rolesFor(evalCase, prepared.request.plugins ?? [], settings), ended),
      assess: async (executed) =>
        resultOfRun(run, prepared, executed, { key, ...(await grade(run, prepared, executed, targets)) }),
    }
  },
}

// A run whose recording does not hold, or that broke, has no score.
async function grade(
  { evalCase, label, settings, signal }: Run<GradedCase>,
  prepared: PreparedRun,
  { outcome, review, evidence, keepRecording }: ExecutedRun,
  targets: ReadonlyMap<string, TargetContent>,
): Promise<Assessment> {
  const { run } = outcome
  keepRecording(null)
  if (!isGradable(run) || review.problem !== null) {
    const decision = decideReplay(decideGraded(null, null, run), review.problem)
    return { checks: [], judge: null, decision, notices: [] }
  }
  const aborted = (run.mockCalls ?? []).find(({ verdict }) => verdict === 'abort') ?? null
  // A call that a mock refuses scores 0, whatever graders would say: none is asked.
  const roles = aborted === null ? rolesFor(evalCase, prepared.request.plugins ?? [], settings) : []
  const judges = createJudgeRecorder(outcome, prepared.source)
  const found = await gradeRun(roles, {
    label,
    run,
    targets,
    caseDir: evalCase.pluginEval.caseDir,
    settings,
    judges,
    signal,
  })
  await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, found.exchanges, redactor))
  const { judge } = found
  const scored = aborted === null ? found.graded : { ...found.graded, score: 0 }
  return {
    checks: [...checksOfGraders(scored.graders), ...(aborted === null ? [] : [abortedCheck(aborted, evalCase)])],
    graded: scored,
    judge,
    decision: decideReplay(decideGraded(scored, judge, run), review.problem),
    notices: [...describeIndicators(scored.graders), ...(judge?.notices ?? [])],
  }
}

function abortedCheck({ tool, output }: AnsweredCall, { at }: Pick<GradedCase, 'at'>): CheckResult {
  return { kind: 'mock', value: tool, at, outcome: 'failed', message: `The mock of ${tool} ended the run: ${output}` }
}
