import { AgentEvalsError } from './errors.ts'
import { runChecks } from './checks/run-checks.ts'
import { createCaseFolder, writeEvidence } from './report/case-folder.ts'
import { decideOutcome } from './report/decide-outcome.ts'
import { runAgent } from './run-agent.ts'
import { buildResult, errorResult, skipResult } from './session/build-result.ts'
import { planCase } from './session/plan-case.ts'
import { prepareRun } from './session/prepare-run.ts'
import { unusedTarget } from './session/unused-target.ts'
import { collectArtifacts } from './workspace/collect-artifacts.ts'
import type { InputCache } from './inputs/input-cache.ts'
import type { Journal } from './report/journal.ts'
import type { Redactor } from './report/redact.ts'
import type { CaseResult, JudgePart, PlannedCase } from './report/result.ts'
import type { RunSettings } from './run-settings.ts'
import type { SuiteCache } from './suites/suite-cache.ts'
import type { EvalCase, Suite } from './suites/suite.ts'

/** One case to run, and what it shares with the others of its worker. */
export interface CaseRequest {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  readonly settings: RunSettings
  readonly journal: Journal
  readonly packages: Pick<SuiteCache, 'packageOf'>
  readonly inputs: InputCache
  readonly redactor: Redactor
  /** Aborts when the user or `--bail` stops the run. */
  readonly signal: AbortSignal
}

/** Runs one case and leaves its result in the journal. What goes wrong is a result too. */
export async function runCase(request: CaseRequest): Promise<CaseResult> {
  const { suite, evalCase, settings, journal } = request
  const planned = planCase(suite, evalCase, settings)
  const startedAt = new Date()
  journal.start(planned)
  const result = await evaluate(request, planned, startedAt).catch((error: unknown) =>
    stopsNewWork(error)
      ? skipResult(planned, `not-run: ${error.message}`, startedAt)
      : errorResult(planned, error, startedAt),
  )
  await journal.end(result)
  return result
}

// The budget is spent or the account is empty: nothing is wrong with the case.
function stopsNewWork(error: unknown): error is AgentEvalsError {
  return error instanceof AgentEvalsError && (error.code === 'budget-spent' || error.code === 'out-of-credit')
}

async function evaluate(request: CaseRequest, planned: PlannedCase, startedAt: Date): Promise<CaseResult> {
  const { evalCase, settings, redactor } = request

  const prepared = await prepareRun({ ...request, label: planned.id, engineName: planned.engineName })
  if ('skipped' in prepared) return skipResult(planned, prepared.skipped, startedAt)

  const folder = createCaseFolder(settings.root, settings.runFolder, planned, 1)
  const { run, warnings } = await runAgent({
    ...prepared.request,
    collect: async (root, { files }) => void (await collectArtifacts({ root, changes: files, to: folder.artifacts })),
  })
  writeEvidence(folder, evalCase.prompt, run, redactor)

  const checks = runChecks(evalCase.checks, run, evalCase.target)
  const judge = evalCase.criteria === null ? null : JUDGE_NOT_BUILT
  return buildResult({
    planned,
    startedAt,
    run,
    source: prepared.source,
    checks,
    judge,
    decision: decideOutcome(checks, null, run),
    inputs: prepared.inputs,
    notices: [...prepared.findings, ...warnings, ...unusedTarget(run, evalCase.target)],
    folder: folder.relativePath,
  })
}

const JUDGE_NOT_BUILT: JudgePart = {
  result: 'skipped',
  reason: 'not built yet',
  model: null,
  provider: null,
  selfJudged: false,
}
