import { runChecks } from './checks/run-checks.ts'
import { skippedJudge } from './judges/judgement.ts'
import {
  createCaseFolder,
  keepEvidence,
  redactArtifacts,
  writeEvidence,
  writeGrading,
  writeJudgeExchanges,
  writeResponse,
} from './report/case-folder.ts'
import { decideOutcome } from './report/decide-outcome.ts'
import { buildGrading } from './report/grading.ts'
import { runRecorded } from './run-recorded.ts'
import { buildResult, skipResult } from './session/build-result.ts'
import { decideReplay } from './session/decide-replay.ts'
import { changedFixtures, checksOf } from './session/fixture-checks.ts'
import { endsByAsking } from './session/ends-by-asking.ts'
import { inspectWorkspace, NOTHING_SEEN } from './session/inspect-workspace.ts'
import { judgeDeclared } from './session/judge-declared.ts'
import { judgeSupply } from './session/judge-supply.ts'
import { keepRecording } from './session/keep-recording.ts'
import { prepareRun } from './session/prepare-run.ts'
import { resultKey } from './session/result-key.ts'
import { reviewRecording } from './session/review-recording.ts'
import { steadyNow } from './session/steady-clock.ts'
import { unusedTarget, usedInBaseline } from './session/unused-target.ts'
import { markWeakChecks } from './session/weak-checks.ts'
import { collectArtifacts } from './workspace/collect-artifacts.ts'
import type { AgentRequest } from './run-agent.ts'
import type { CheckResult } from './checks/check.ts'
import type { CaseResult, PlannedCase } from './report/result.ts'
import type { CaseRequest } from './run-case.ts'
import type { AgentRun } from './transcript/agent-run.ts'

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
  const { suite, evalCase, settings, journal, redactor } = request
  const startedAt = steadyNow()
  const label = of === 1 ? planned.id : `${planned.id} (run ${index})`
  const prepared = await prepareRun({ ...request, label, engineName: planned.engineName, run: index })
  if ('skipped' in prepared) return skipResult(planned, prepared.skipped, startedAt)

  let seen = NOTHING_SEEN
  const key = resultKey({ ...request, planned, run: index }, prepared)
  const earlier = request.earlier?.find(key) ?? null
  if (earlier !== null) return { ...earlier, ...planned }

  const folder = createCaseFolder(settings.root, settings.runFolder, planned, index)
  const lost: string[] = []
  // Not while it waits for its turn: what a kill finds waiting was not run.
  const onStart = (): void => journal.start(planned)
  const collect: AgentRequest['collect'] = async (root, ended) => {
    const { copied } = await collectArtifacts({ root, changes: ended.files, to: folder.artifacts })
    const copies = copied.map(({ to }) => to)
    lost.push(...(await keepEvidence(() => redactArtifacts(folder, copies, redactor))))
    seen = await inspectWorkspace(request, ended, root)
  }
  const check = (run: AgentRun): readonly CheckResult[] =>
    runChecks(checksOf(suite, evalCase, settings), run, evalCase.target)
  const outcome = await runRecorded({ ...prepared, request: { ...prepared.request, onStart, collect } }, (run) =>
    decideOutcome(check(run), null, run),
  )
  const { run } = outcome
  lost.push(...(await keepEvidence(() => writeEvidence(folder, evalCase.prompt, run, redactor))))
  if (evalCase.golden !== undefined) lost.push(...(await keepEvidence(() => writeResponse(folder, run, redactor))))

  const checks = markWeakChecks(request, check(run), run)
  const played = reviewRecording(outcome, prepared.source, settings)
  const supply = judgeSupply(outcome, prepared.source)
  const judged =
    played.problem === null
      ? await judgeDeclared({ ...request, label, run, checks, seen, inputs: prepared.inputs, source: supply })
      : {
          part: evalCase.criteria === null ? null : skippedJudge(played.problem.message),
          exchanges: [],
          toRecord: null,
        }
  lost.push(...(await keepEvidence(() => writeJudgeExchanges(folder, judged.exchanges, redactor))))
  keepRecording(prepared.source.recordingFile, outcome, judged.toRecord)
  const decision =
    usedInBaseline(run, evalCase) ?? decideReplay(decideOutcome(checks, judged.part, run), played.problem)
  if (suite.skill !== undefined) {
    const grading = buildGrading({ evalCase, checks, judge: judged.part, decision, status: run.status })
    lost.push(...(await keepEvidence(() => writeGrading(folder, grading, redactor))))
  }
  const result = buildResult({
    planned,
    startedAt,
    run,
    index,
    source: outcome.source,
    recorded: played.recorded,
    checks,
    judge: judged.part,
    decision,
    inputs: prepared.inputs,
    notices: [
      ...prepared.findings,
      ...outcome.warnings,
      ...played.notices,
      ...changedFixtures(suite, evalCase, run),
      ...unusedTarget(run, evalCase),
      ...endsByAsking(run),
      ...(judged.part?.notices ?? []),
      ...lost,
    ],
    folder: folder.relativePath,
  })
  return { ...result, key }
}
