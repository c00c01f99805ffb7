import { enginesFor } from '../engines/registry.ts'
import { runChecks } from '../checks/run-checks.ts'
import { skippedJudge } from '../judges/judgement.ts'
import { decideOutcome, type Decision } from '../results/decide-outcome.ts'
import { buildGrading } from '../report/export/grading.ts'
import { executeRun, type ExecutedRun } from './execute-run.ts'
import { buildResult, skipResult } from './result/build-result.ts'
import { decideReplay } from '../replay/decide-replay.ts'
import { changedFixtures, checksOf } from './assess/fixture-checks.ts'
import { endsByAsking } from './assess/ends-by-asking.ts'
import { inspectWorkspace, NOTHING_SEEN, type SeenWorkspace } from './assess/inspect-workspace.ts'
import { assessGraded } from './assess/assess-graded.ts'
import { decideFree, rolesFor } from './assess/grade-run.ts'
import { isGraded } from './assess/graded-case.ts'
import { readTargetFiles } from './assess/target-files.ts'
import { judgeDeclared, type DeclaredJudgement } from './judge/judge-declared.ts'
import { judgeSource } from './judge/judge-source.ts'
import { prepareRun } from './prepare/prepare-run.ts'
import { resultKey } from './result/result-key.ts'
import { steadyNow } from './result/steady-clock.ts'
import { unusedTarget, usedInBaseline } from './assess/unused-target.ts'
import { markWeakChecks } from './assess/weak-checks.ts'
import type { GradedRun } from '../graders/graded-run.ts'
import type { CheckResult } from '../checks/check.ts'
import type { CaseResult, PlannedCase } from '../results/result.ts'
import type { EvalCase } from '../suites/suite.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import { requireJudge } from './judge/require-judge.ts'
import { isStop } from '../results/stops-new-work.ts'
import { keepJudgeShare } from '../gateway/control/client.ts'
import { upstreamKind } from '../gateway/leases/lease.ts'
import type { CaseRequest } from './case-request.ts'
import type { PreparedRun } from '../replay/prepared-run.ts'
import { writeGrading, writeJudgeExchanges, writeResponse } from '../report/export/write-evidence.ts'

/** One of the runs of a case. */
export interface RunPlace {
  /** From 1. */
  readonly index: number
  /** How many there are. */
  readonly of: number
}

/** Runs a case once, checks and judges what came of it: the result of that run alone. */
export async function runOnce(
  request: CaseRequest,
  planned: PlannedCase,
  { index, of }: RunPlace,
): Promise<CaseResult> {
  const startedAt = steadyNow()
  const label = of === 1 ? planned.id : `${planned.id} (run ${index})`
  const prepared = await prepareRun({ ...request, label, engineName: planned.engineName, run: index })
  if ('skipped' in prepared) return skipResult(planned, prepared.skipped, startedAt)

  const key = resultKey({ ...request, planned, run: index }, prepared)
  const earlier = request.earlier?.find(key) ?? null
  if (earlier !== null) return { ...earlier, ...planned }

  if (upstreamKind(prepared.source.answers) !== 'live')
    return runPrepared(request, planned, prepared, { index, key, startedAt })
  // A judge that is missing must not cost the agent's run, nor one that nothing is left for.
  const kept = await shareOfJudge(request, planned, prepared)
  try {
    return await runPrepared(request, planned, prepared, { index, key, startedAt })
  } finally {
    kept?.[Symbol.dispose]()
  }
}

interface StartedRun extends Pick<RunPlace, 'index'> {
  readonly key: string
  readonly startedAt: Date
}

async function runPrepared(
  request: CaseRequest,
  planned: PlannedCase,
  prepared: PreparedRun,
  { index, key, startedAt }: StartedRun,
): Promise<CaseResult> {
  const { evalCase } = request
  let seen = NOTHING_SEEN
  let targets: GradedRun['files'] = new Map()
  const executed = await executeRun(prepared, {
    ...request,
    planned,
    index,
    inspect: async (root, run) => {
      seen = await inspectWorkspace(request, run, root)
      if (isGraded(evalCase)) targets = await readTargetFiles(evalCase.pluginEval.graders, root)
    },
    outcomeOf: (run) =>
      isGraded(evalCase)
        ? decideFree(rolesFor(evalCase, prepared.request.plugins ?? [], request.settings), run)
        : decideOutcome(check(request, run, seen), null, run),
  })
  const { evidence, outcome } = executed
  if (evalCase.golden !== undefined)
    await evidence.keep((folder, redactor) => writeResponse(folder, outcome.run, redactor))
  const assessed = isGraded(evalCase)
    ? await assessGraded({ ...request, evalCase }, prepared, executed, targets)
    : await assess(request, prepared, executed, seen)
  const result = buildResult({
    planned,
    startedAt,
    index,
    run: outcome.run,
    source: outcome.source,
    recorded: executed.review.recorded,
    checks: assessed.checks,
    judge: assessed.judge,
    ...(assessed.graded === undefined ? {} : { graded: assessed.graded }),
    decision: assessed.decision,
    inputs: prepared.inputs,
    notices: [...executed.notices(), ...assessed.notices],
    folder: evidence.folder.relativePath,
  })
  // The agent was paid for: its run is kept, and only the judge is missing.
  if (outcome.run.status === 'completed' && isStop(result.error)) return withAdvice(result, result.error)
  return { ...result, key }
}

async function shareOfJudge(
  request: CaseRequest,
  planned: PlannedCase,
  { request: run, source }: PreparedRun,
): Promise<Disposable | null> {
  const judge = await requireJudge({ ...request, engineName: planned.engineName, model: source.model })
  if (judge === null) return null
  const share = { ...judge, caseId: run.label, wire: judge.wire ?? run.engine.engine.wire }
  return keepJudgeShare(request.settings.controlSocket, share, request.signal)
}

function withAdvice(result: CaseResult, { code, message }: NonNullable<CaseResult['error']>): CaseResult {
  const reason = `${message} The run is kept: judge it with \`npx vitest-agent-evals rejudge REPORT\`.`
  return { ...result, reason, error: { code, message: reason } }
}

function check({ suite, evalCase, settings }: CaseRequest, run: AgentRun, seen: SeenWorkspace): readonly CheckResult[] {
  return runChecks(checksOf(suite, evalCase, settings), run, evalCase.target, seen.checks)
}

/** What checks and the judge found. */
interface Assessment extends Pick<CaseResult, 'checks' | 'graded' | 'judge'> {
  readonly decision: Decision
  readonly notices: readonly string[]
}

async function assess(
  request: CaseRequest,
  prepared: PreparedRun,
  { outcome, review, evidence, keepRecording }: ExecutedRun,
  seen: SeenWorkspace,
): Promise<Assessment> {
  const { suite, evalCase } = request
  const { run } = outcome
  const checks = markWeakChecks(request, check(request, run, seen), run)
  const judged =
    review.problem === null
      ? await judgeDeclared({
          ...request,
          label: prepared.request.label,
          run,
          checks,
          seen,
          inputs: prepared.inputs,
          source: judgeSource(outcome, prepared.source),
        })
      : notJudged(evalCase, review.problem.message)
  await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, judged.exchanges, redactor))
  keepRecording(judged.toRecord)

  const judge = judged.part
  const reached = decideOutcome(checks, judge, run)
  const decision = usedInBaseline(run, evalCase) ?? decideReplay(reached, review.problem)
  if (suite.skill !== undefined) {
    const grading = buildGrading({ evalCase, checks, judge, decision, status: run.status })
    await evidence.keep((folder, redactor) => writeGrading(folder, grading, redactor))
  }
  const notices = [
    ...changedFixtures(suite, evalCase, run),
    ...unusedTarget(run, evalCase),
    ...endsByAsking(run, enginesFor(prepared.request)),
    ...(judge?.notices ?? []),
  ]
  return { checks, judge, decision, notices }
}

function notJudged({ criteria }: Pick<EvalCase, 'criteria'>, reason: string): DeclaredJudgement {
  return { part: criteria === null ? null : skippedJudge(reason), exchanges: [], toRecord: null }
}
