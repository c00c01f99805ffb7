import { runChecks } from '../checks/run-checks.ts'
import { skippedJudge } from '../judges/judgement.ts'
import { decideOutcome, type Decision } from '../results/decide-outcome.ts'
import { buildGrading } from '../report/grading.ts'
import { openEvidence, type RunEvidence } from '../results/run-evidence.ts'
import { runRecorded, type RecordedOutcome } from '../replay/run-recorded.ts'
import { buildResult, skipResult } from './result/build-result.ts'
import { decideReplay } from '../replay/decide-replay.ts'
import { changedFixtures, checksOf } from './assess/fixture-checks.ts'
import { endsByAsking } from './assess/ends-by-asking.ts'
import { inspectWorkspace, NOTHING_SEEN, type SeenWorkspace } from './assess/inspect-workspace.ts'
import { judgeDeclared, type DeclaredJudgement } from './judge/judge-declared.ts'
import { judgeSupply } from './judge/judge-source.ts'
import { keepRecording } from '../replay/keep-recording.ts'
import { prepareRun } from './prepare/prepare-run.ts'
import { resultKey } from './result/result-key.ts'
import { reviewRecording } from '../replay/review-recording.ts'
import { steadyNow } from './result/steady-clock.ts'
import { unusedTarget, usedInBaseline } from './assess/unused-target.ts'
import { markWeakChecks } from './assess/weak-checks.ts'
import type { CheckResult } from '../checks/check.ts'
import type { CaseResult, PlannedCase } from '../results/result.ts'
import type { EvalCase } from '../suites/suite.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { AgentRequest } from '../agent/agent-request.ts'
import type { CaseRequest } from './case-request.ts'
import type { PreparedRun } from '../replay/prepared-run.ts'
import { writeEvidence, writeGrading, writeJudgeExchanges, writeResponse } from '../report/write-evidence.ts'

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
  const { settings, redactor } = request
  const startedAt = steadyNow()
  const label = of === 1 ? planned.id : `${planned.id} (run ${index})`
  const prepared = await prepareRun({ ...request, label, engineName: planned.engineName, run: index })
  if ('skipped' in prepared) return skipResult(planned, prepared.skipped, startedAt)

  const key = resultKey({ ...request, planned, run: index }, prepared)
  const earlier = request.earlier?.find(key) ?? null
  if (earlier !== null) return { ...earlier, ...planned }

  const evidence = openEvidence(settings, planned, index, redactor)
  const session = await perform(request, planned, prepared, evidence)
  const assessed = await assess(request, prepared, session, evidence)
  const result = buildResult({
    planned,
    startedAt,
    index,
    run: session.outcome.run,
    source: session.outcome.source,
    recorded: assessed.recorded,
    checks: assessed.checks,
    judge: assessed.judge,
    decision: assessed.decision,
    inputs: prepared.inputs,
    notices: [...prepared.findings, ...session.outcome.warnings, ...assessed.notices, ...evidence.lost],
    folder: evidence.folder.relativePath,
  })
  return { ...result, key }
}

/** A session that has ended, and what was seen of its workspace. */
interface EndedRun {
  readonly outcome: RecordedOutcome
  readonly seen: SeenWorkspace
}

async function perform(
  request: CaseRequest,
  planned: PlannedCase,
  prepared: PreparedRun,
  evidence: RunEvidence,
): Promise<EndedRun> {
  const { evalCase, journal } = request
  let seen = NOTHING_SEEN
  // Not while it waits for its turn: what a kill finds waiting was not run.
  const onStart = (): void => journal.start(planned)
  const collect: AgentRequest['collect'] = async (root, ended) => {
    await evidence.keepArtifacts(root, ended.files)
    seen = await inspectWorkspace(request, ended, root)
  }
  const asked = { ...prepared, request: { ...prepared.request, onStart, collect } }
  const outcome = await runRecorded(asked, (run) => decideOutcome(check(request, run), null, run))
  const { run } = outcome
  await evidence.keep((folder, redactor) => writeEvidence(folder, evalCase.prompt, run, redactor))
  if (evalCase.golden !== undefined) await evidence.keep((folder, redactor) => writeResponse(folder, run, redactor))
  return { outcome, seen }
}

function check({ suite, evalCase, settings }: CaseRequest, run: AgentRun): readonly CheckResult[] {
  return runChecks(checksOf(suite, evalCase, settings), run, evalCase.target)
}

/** What was found of a session: by checks, by the judge, and by the recording that it was played from. */
interface Assessment extends Pick<CaseResult, 'checks' | 'judge' | 'recorded'> {
  readonly decision: Decision
  readonly notices: readonly string[]
}

async function assess(
  request: CaseRequest,
  prepared: PreparedRun,
  { outcome, seen }: EndedRun,
  evidence: RunEvidence,
): Promise<Assessment> {
  const { suite, evalCase, settings } = request
  const { source } = prepared
  const { run } = outcome
  const checks = markWeakChecks(request, check(request, run), run)
  const played = reviewRecording(outcome, source, settings)
  const judged =
    played.problem === null
      ? await judgeDeclared({
          ...request,
          label: prepared.request.label,
          run,
          checks,
          seen,
          inputs: prepared.inputs,
          source: judgeSupply(outcome, source),
        })
      : notJudged(evalCase, played.problem.message)
  await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, judged.exchanges, redactor))
  keepRecording(source.recordingFile, outcome, judged.toRecord)

  const judge = judged.part
  const decision = usedInBaseline(run, evalCase) ?? decideReplay(decideOutcome(checks, judge, run), played.problem)
  if (suite.skill !== undefined) {
    const grading = buildGrading({ evalCase, checks, judge, decision, status: run.status })
    await evidence.keep((folder, redactor) => writeGrading(folder, grading, redactor))
  }
  const notices = [
    ...played.notices,
    ...changedFixtures(suite, evalCase, run),
    ...unusedTarget(run, evalCase),
    ...endsByAsking(run),
    ...(judge?.notices ?? []),
  ]
  return { checks, judge, decision, recorded: played.recorded, notices }
}

function notJudged({ criteria }: Pick<EvalCase, 'criteria'>, reason: string): DeclaredJudgement {
  return { part: criteria === null ? null : skippedJudge(reason), exchanges: [], toRecord: null }
}
