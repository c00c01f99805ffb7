import { AgentEvalsError } from './errors.ts'
import { runChecks } from './checks/run-checks.ts'
import { findEngine } from './engines/find.ts'
import { collectInputs } from './inputs/collect.ts'
import { createCaseFolder, writeEvidence } from './report/case-folder.ts'
import { decideOutcome } from './report/decide-outcome.ts'
import { runAgent } from './run-agent.ts'
import { buildResult, errorResult, skipResult } from './session/build-result.ts'
import { caseTimeout } from './session/case-timeout.ts'
import { chooseSource } from './session/choose-source.ts'
import { packageFindings } from './session/package-findings.ts'
import { planCase } from './session/plan-case.ts'
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
    errorResult(planned, error, startedAt),
  )
  await journal.end(result)
  return result
}

async function evaluate(request: CaseRequest, planned: PlannedCase, startedAt: Date): Promise<CaseResult> {
  const { suite, evalCase, settings, redactor } = request

  // Everything that can be known to be wrong is found before anything is started.
  const engine = await findEngine(planned.engineName, {
    option: settings.engines[planned.engineName],
    environment: process.env,
    root: settings.root,
  })
  const pkg = await request.packages.packageOf(suite.packageRoot)
  const findings = packageFindings(pkg, evalCase, settings.root)
  const source = await chooseSource(suite, evalCase, engine.engine.wire, settings)
  if (source.name === null) return skipResult(planned, source.reason, startedAt)
  if (settings.dryRun) return skipResult(planned, `dry run: ${engine.engine.name}, answered by ${source.name}`, startedAt)
  if ('code' in settings.sandbox) throw new AgentEvalsError(settings.sandbox.code, settings.sandbox.message)
  const inputs = await collectInputs({ suite, evalCase, package: pkg, scenario: source.file }, request.inputs)

  const folder = createCaseFolder(settings.root, settings.runFolder, planned, 1)
  const { run, warnings } = await runAgent({
    label: planned.id,
    engine,
    package: pkg,
    suite,
    evalCase,
    source: source.answers,
    model: settings.model,
    deadlineMs: caseTimeout(suite, evalCase, settings) * 1000,
    sandbox: settings.sandbox,
    controlSocket: settings.controlSocket,
    inputs: request.inputs,
    keepWorkspace: settings.keepWorkspace,
    signal: request.signal,
    collect: async (root, { files }) => void (await collectArtifacts({ root, changes: files, to: folder.artifacts })),
  })
  writeEvidence(folder, evalCase.prompt, run, redactor)

  const checks = runChecks(evalCase.checks, run, evalCase.target)
  const judge = evalCase.criteria === null ? null : JUDGE_NOT_BUILT
  return buildResult({
    planned,
    startedAt,
    run,
    source: source.name,
    checks,
    judge,
    decision: decideOutcome(checks, null, run),
    inputs,
    notices: [...findings, ...suite.issues.map(({ message }) => message), ...warnings, ...unusedTarget(run, evalCase.target)],
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
