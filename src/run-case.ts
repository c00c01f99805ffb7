import { AgentEvalsError } from './errors.ts'
import { runChecks } from './checks/run-checks.ts'
import { skippedJudge } from './judges/judgement.ts'
import {
  createCaseFolder,
  keepEvidence,
  redactArtifacts,
  writeEvidence,
  writeJudgeExchanges,
} from './report/case-folder.ts'
import { decideOutcome } from './report/decide-outcome.ts'
import { runRecorded } from './run-recorded.ts'
import { runTrigger } from './run-trigger.ts'
import { buildResult, errorResult, skipResult } from './session/build-result.ts'
import { decideReplay } from './session/decide-replay.ts'
import { changedFixtures, checksOf } from './session/fixture-checks.ts'
import { inspectWorkspace, NOTHING_SEEN } from './session/inspect-workspace.ts'
import { judgeDeclared } from './session/judge-declared.ts'
import { judgeSupply } from './session/judge-supply.ts'
import { keepRecording } from './session/keep-recording.ts'
import { planCase } from './session/plan-case.ts'
import { prepareRun } from './session/prepare-run.ts'
import { resultKey } from './session/result-key.ts'
import { reviewRecording } from './session/review-recording.ts'
import { steadyNow } from './session/steady-clock.ts'
import { unusedTarget } from './session/unused-target.ts'
import { markWeakChecks } from './session/weak-checks.ts'
import { collectArtifacts } from './workspace/collect-artifacts.ts'
import type { AgentRequest } from './run-agent.ts'
import type { CheckResult } from './checks/check.ts'
import type { InputCache } from './inputs/input-cache.ts'
import type { EarlierResults } from './report/earlier-results.ts'
import type { Journal } from './report/journal.ts'
import type { Redactor } from './report/redact.ts'
import type { CaseResult, PlannedCase } from './report/result.ts'
import type { RunSettings } from './run-settings.ts'
import type { AgentRun } from './transcript/agent-run.ts'
import type { SuiteCache } from './suites/suite-cache.ts'
import type { EvalCase, Suite } from './suites/suite.ts'

/** One case to run, and what it shares with the others of its worker. */
export interface CaseRequest {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  readonly settings: RunSettings
  readonly journal: Journal
  readonly packages: Pick<SuiteCache, 'packageFor' | 'packageOf'>
  readonly inputs: InputCache
  readonly redactor: Redactor
  /** Finished cases of earlier runs; absent when nothing is to be taken over. */
  readonly earlier?: EarlierResults | undefined
  /** Aborts when the user or `--bail` stops the run. */
  readonly signal: AbortSignal
}

/**
 * Runs one case and leaves its result in the journal. What goes wrong is a result too.
 *
 * A case that was stopped has none: the journal says that it was started, if it was.
 */
export async function runCase(request: CaseRequest): Promise<CaseResult> {
  const { suite, evalCase, settings, journal } = request
  const planned = planCase(suite, evalCase, settings)
  const startedAt = steadyNow()
  const unredacted = await evaluate(request, planned, startedAt).catch((error: unknown) =>
    stopsNewWork(error)
      ? skipResult(planned, `not-run: ${error.message}`, startedAt)
      : errorResult(planned, error, startedAt),
  )
  // A terminal shows it too, not only the report.
  const result = request.redactor.values(unredacted)
  if (request.signal.aborted && result.outcome === 'errored') return { ...result, error: STOPPED }
  if (result.error?.code !== 'cancelled') await journal.end(result)
  return result
}

const STOPPED: NonNullable<CaseResult['error']> = { code: 'cancelled', message: 'The run was stopped.' }

// The budget is spent or the account is empty: nothing is wrong with the case.
function stopsNewWork(error: unknown): error is AgentEvalsError {
  return error instanceof AgentEvalsError && (error.code === 'budget-spent' || error.code === 'out-of-credit')
}

async function evaluate(request: CaseRequest, planned: PlannedCase, startedAt: Date): Promise<CaseResult> {
  const { suite, evalCase, settings, journal, redactor } = request

  if (evalCase.trigger !== undefined) return runTrigger(request, planned, evalCase.trigger, startedAt)
  if (evalCase.skipped !== undefined) return skipResult(planned, evalCase.skipped, startedAt)
  if (evalCase.criteria === null && evalCase.checks.length === 0)
    return skipResult(planned, NOTHING_EXPECTED, startedAt)
  const prepared = await prepareRun({ ...request, label: planned.id, engineName: planned.engineName })
  if ('skipped' in prepared) return skipResult(planned, prepared.skipped, startedAt)

  let seen = NOTHING_SEEN
  const key = resultKey({ ...request, planned }, prepared)
  const earlier = request.earlier?.find(key) ?? null
  if (earlier !== null) return { ...earlier, ...planned }

  const folder = createCaseFolder(settings.root, settings.runFolder, planned, 1)
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

  const checks = markWeakChecks(request, check(run), run)
  const played = reviewRecording(outcome, prepared.source, settings)
  const supply = judgeSupply(outcome, prepared.source)
  const judged =
    played.problem === null
      ? await judgeDeclared({ ...request, label: planned.id, run, checks, seen, source: supply })
      : {
          part: evalCase.criteria === null ? null : skippedJudge(played.problem.message),
          exchanges: [],
          toRecord: null,
        }
  lost.push(...(await keepEvidence(() => writeJudgeExchanges(folder, judged.exchanges, redactor))))
  keepRecording(prepared.source.recordingFile, outcome, judged.toRecord)
  const result = buildResult({
    planned,
    startedAt,
    run,
    source: outcome.source,
    recorded: played.recorded,
    checks,
    judge: judged.part,
    decision: decideReplay(decideOutcome(checks, judged.part, run), played.problem),
    inputs: prepared.inputs,
    notices: [
      ...prepared.findings,
      ...outcome.warnings,
      ...played.notices,
      ...changedFixtures(suite, evalCase, run),
      ...unusedTarget(run, evalCase.target),
      ...(judged.part?.notices ?? []),
      ...lost,
    ],
    folder: folder.relativePath,
  })
  return { ...result, key }
}

const NOTHING_EXPECTED = 'no expectations: nothing says what would be right'
