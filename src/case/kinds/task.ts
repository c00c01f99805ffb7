import { runChecks } from '../../checks/checks.ts'
import { enginesFor } from '../../engines/registry.ts'
import { AgentEvalsError, isStop } from '../../lib/errors.ts'
import { skippedJudge } from '../../judges/judgement.ts'
import { decideReplay, type ReplayProblem } from '../replay/decide-replay.ts'
import { buildGrading, writeGrading, writeJudgeExchanges, writeResponse } from '../../report/export/write-evidence.ts'
import { combineRuns } from '../../report/results/combine-runs.ts'
import { decideOutcome, type Decision } from '../../report/results/decide-outcome.ts'
import { nearest } from '../../options/settings.ts'
import { changedFixtures, checksOf, endsByAsking, unusedTarget, usedInBaseline } from '../assess/findings.ts'
import { NOTHING_SEEN, inspectWorkspace, type SeenWorkspace } from '../assess/inspect-workspace.ts'
import { runCheckScript } from '../assess/run-check-script.ts'
import { markWeakChecks } from '../assess/decide-statements.ts'
import { judgeDeclared, type DeclaredJudge, type DeclaredJudgement } from '../judge/judge-declared.ts'
import { judgeSource } from '../judge/judge-recorder.ts'
import { buildResult, resultOf, skipResult } from '../result/build-result.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { CaseResult } from '../../report/results/result.ts'
import type { CaseBase, EvalCase } from '../../formats/suite.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import type { Run } from '../context.ts'
import type { ExecutedRun } from '../run.ts'
import type { CaseKind } from './kind.ts'

/** A task: checked, judged, and passed by the share of its runs that passed. */
export const task: CaseKind<EvalCase, CaseResult> = {
  whySkipped: ({ checks, criteria }) =>
    criteria === null && checks.length === 0 ? 'no expectations, so no result can be right or wrong' : null,
  label: ({ id }, index, of) => (of === 1 ? id : `${id} (run ${index})`),
  begin: () => () => {},
  keyOf: (keys) => keys.join(' '),
  start(_context, run, prepared, key) {
    let seen = NOTHING_SEEN
    return {
      inspect: async (root, ended) => {
        seen = await inspectWorkspace(run, ended, root, (script) =>
          runCheckScript(prepared.request, script, root, ended),
        )
      },
      outcomeOf: (ended) => decideOutcome(check(run, ended, seen), null, ended),
      assess: async (executed) =>
        resultOfRun(run, prepared, executed, { key, ...(await assess(run, prepared, executed, seen)) }),
    }
  },
  reused: (earlier) => earlier,
  skipped: (reason, { planned, startedAt }) => skipResult(planned, reason, startedAt),
  broken: (error, { planned, startedAt }) => resultOf(error, planned, startedAt),
  async keep({ journal }, result) {
    if (result.runs.length > 0 && result.error?.code !== 'cancelled') await journal.endRun(result)
  },
  async combine({ settings }, { asked: { evalCase }, parts: [first, ...rest], startedAt, planned }) {
    if (first === undefined) return skipResult(planned, 'it has no run', startedAt)
    if (rest.length === 0) return first
    // A rate of the runs that were quick enough would be another one.
    if ([first, ...rest].some(({ error }) => error?.code === 'cancelled'))
      throw new AgentEvalsError('cancelled', 'The run was cancelled.')
    const threshold = nearest(settings.passThreshold, evalCase.passThreshold ?? null, 1)
    return combineRuns(first, rest, { runs: rest.length + 1, threshold })
  },
  finish: async (_context, _asked, result) => result,
}

/** A golden test: a task that an agent's rubric scores, whose response is kept to be read. */
export const goldenTest: CaseKind<EvalCase, CaseResult> = {
  ...task,
  start(...asked) {
    const started = task.start(...asked)
    return {
      ...started,
      async assess(executed) {
        const { evidence, outcome } = executed
        await evidence.keep((folder, redactor) => writeResponse(folder, outcome.run, redactor))
        return started.assess(executed)
      },
    }
  },
}

/** What checks, graders and judge found of a run. */
export interface Assessment extends Pick<CaseResult, 'checks' | 'graded' | 'judge'> {
  readonly decision: Decision
  readonly notices: readonly string[]
}

/** The result of one run. */
export function resultOfRun(
  { planned, index, startedAt }: Run,
  { inputs }: PreparedRun,
  { outcome, review, evidence, notices }: ExecutedRun,
  { key, ...assessed }: Assessment & { readonly key: string },
): CaseResult {
  const { run, source } = outcome
  const result = buildResult({
    ...assessed,
    planned,
    startedAt,
    index,
    run,
    source,
    recorded: review.recorded,
    inputs,
    notices: [...notices(), ...assessed.notices],
    folder: evidence.folder.relativePath,
  })
  if (run.status !== 'completed' || !isStop(result.error) || assessed.graded !== undefined) return { ...result, key }
  // The agent was paid for: its run is kept, and only the judge is missing.
  const { code, message } = result.error
  const reason = `${message} The run is kept: judge it with \`npx vitest-agent-evals rejudge REPORT\`.`
  return { ...result, reason, error: { code, message: reason } }
}

async function assess(
  run: Run,
  prepared: PreparedRun,
  { outcome, review, evidence, keepRecording }: ExecutedRun,
  seen: DeclaredJudge['seen'],
): Promise<Assessment> {
  const { suite, evalCase, label, settings, signal } = run
  const ended = outcome.run
  const checks = markWeakChecks(run, check(run, ended, seen), ended)
  const source = judgeSource(outcome, prepared.source)
  const { judged, decision } = await judgeRun(
    { label, suite, evalCase, settings, signal, run: ended, checks, seen, inputs: prepared.inputs, source },
    review.problem,
  )
  await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, judged.exchanges, redactor))
  keepRecording(judged.toRecord)

  const judge = judged.part
  if (suite.skill !== undefined) {
    const grading = buildGrading({ evalCase, checks, judge, decision, status: ended.status })
    await evidence.keep((folder, redactor) => writeGrading(folder, grading, redactor))
  }
  const notices = [
    ...changedFixtures(suite, evalCase, ended),
    ...unusedTarget(ended, evalCase),
    ...endsByAsking(ended, enginesFor(prepared.request)),
    ...(judge?.notices ?? []),
  ]
  return { checks, judge, decision, notices }
}

/** A run that has ended, now or in an earlier run of Vitest. */
interface JudgedRun extends DeclaredJudge {
  readonly evalCase: DeclaredJudge['evalCase'] & Pick<CaseBase, 'arm' | 'target'>
}

/** Asks the judge about a run and decides: the same for one that has just ended and for one that was stored. */
export async function judgeRun(
  request: JudgedRun,
  problem: ReplayProblem | null,
): Promise<{ readonly judged: DeclaredJudgement; readonly decision: Decision }> {
  const { checks, evalCase, run } = request
  const judged = problem === null ? await judgeDeclared(request) : notJudged(evalCase, problem.message)
  const reached = decideOutcome(checks, judged.part, run)
  return { judged, decision: usedInBaseline(run, evalCase) ?? decideReplay(reached, problem) }
}

function notJudged({ criteria }: Pick<CaseBase, 'criteria'>, reason: string): DeclaredJudgement {
  return { part: criteria === null ? null : skippedJudge(reason), exchanges: [], toRecord: null }
}

function check({ suite, evalCase, settings }: Run, run: AgentRun, seen: SeenWorkspace): readonly CheckResult[] {
  return runChecks(checksOf(suite, evalCase, settings), run, evalCase.target, seen.checks)
}
