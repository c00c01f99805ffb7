import { decideReplay } from '../replay/decide-replay.ts'
import { writeJudgeExchanges } from '../../report/export/write-evidence.ts'
import {
  checksOfGraders,
  decideFree,
  decideGraded,
  defineGraded,
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
import type { GradedRun } from '../../judges/free-graders.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { AbortedRun, CaseResult } from '../../report/results/result.ts'
import type { AnsweredCall } from '../../transcript/transcript.ts'
import type { Run } from '../context.ts'
import type { ExecutedRun } from '../run.ts'
import type { CaseKind } from './kind.ts'

/** A case of `claude plugin eval`: a task that graders score. */
export const pluginEval: CaseKind<GradedCase, CaseResult> = {
  ...task,
  whySkipped: () => null,
  // Its report has the mean score of all runs.
  due: (_context, { parts, of }) => of - parts.length,
  start(_context, run, prepared, key) {
    const { evalCase, settings } = run
    let targets: GradedRun['files'] = new Map()
    return {
      inspect: async (root) => {
        targets = await readTargetFiles(evalCase.pluginEval.graders, root)
      },
      outcomeOf: (ended) => decideFree(rolesFor(evalCase, prepared.request.plugins ?? [], settings), ended),
      assess: async (executed) =>
        resultOfRun(run, prepared, executed, { key, ...(await grade(run, prepared, executed, targets)) }),
    }
  },
  // The report of its format says what it asks, also where nothing could be graded.
  async finish({ packages, settings }, { suite, evalCase }, result) {
    if (result.graded !== undefined) return result
    const definition = defineGraded(evalCase, await packages.pluginsOf(suite, evalCase), settings)
    return { ...result, graded: { score: null, threshold: settings.threshold, graders: [], definition } }
  },
}

// A run whose recording does not hold, or that broke, has no score.
async function grade(
  { evalCase, label, settings, signal }: Run<GradedCase>,
  prepared: PreparedRun,
  { outcome, review, evidence, keepRecording }: ExecutedRun,
  files: GradedRun['files'],
): Promise<Assessment> {
  const { run } = outcome
  keepRecording(null)
  if (!isGradable(run) || review.problem !== null) {
    const decision = decideReplay(decideGraded(null, null, run), review.problem)
    return { checks: [], judge: null, decision, notices: [] }
  }
  const aborted = (run.mockCalls ?? []).find(({ verdict }) => verdict === 'abort') ?? null
  // A call that a mock refuses scores 0, whatever graders would say: none is asked.
  const { plugins = [] } = prepared.request
  const roles = aborted === null ? rolesFor(evalCase, plugins, settings) : []
  const graded = { run, files, mockCalls: run.mockCalls ?? null }
  const judges = createJudgeRecorder(outcome, prepared.source)
  const found = await gradeRun(evalCase, roles, plugins, { label, run, graded, settings, judges, signal })
  await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, found.exchanges, redactor))
  const { judge } = found
  const scored = aborted === null ? found.graded : { ...found.graded, score: 0, aborted: toAborted(aborted) }
  return {
    checks: [...checksOfGraders(scored.graders), ...(aborted === null ? [] : [abortedCheck(aborted, evalCase)])],
    graded: scored,
    judge,
    decision: decideReplay(decideGraded(scored, judge, run), review.problem),
    notices: [...describeIndicators(scored.graders), ...(judge?.notices ?? [])],
  }
}

function toAborted({ server, tool, output }: AnsweredCall): AbortedRun {
  return { server, tool: tool.split('__').at(-1) ?? tool, reason: output }
}

function abortedCheck({ tool, output }: AnsweredCall, { at }: Pick<GradedCase, 'at'>): CheckResult {
  return { kind: 'mock', value: tool, at, outcome: 'failed', message: `The mock of ${tool} ended the run: ${output}` }
}
