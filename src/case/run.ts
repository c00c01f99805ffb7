import { wholePrompt } from '../formats/kinds.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { awaitMainExit, type AskedCase, type Run, type RunContext } from './context.ts'
import { keepJudgeShare } from '../gateway/control/client.ts'
import { upstreamKind } from '../gateway/leases/lease.ts'
import { countTo } from '../lib/lists.ts'
import { keepRecording, runRecorded, type PreparedRun, type RecordedOutcome } from './replay/run-recorded.ts'
import { reviewRecording, type RecordingReview } from './replay/decide-replay.ts'
import { writeRunFiles } from '../report/export/write-evidence.ts'
import { keepTextsBefore } from '../report/results/kept-files.ts'
import { openEvidence, type EvidenceKeeper } from '../report/results/case-folder.ts'
import { readBefore } from './assess/inspect-workspace.ts'
import { requireJudge, type ExpectedJudge } from './judge/require-judge.ts'
import { inItsVersion } from '../formats/before.ts'
import { countRuns, planCase } from './plan/plan-case.ts'
import { prepareRun, type SkippedRun } from './prepare/prepare-run.ts'
import { sabotage } from './sabotage.ts'
import { resultOf, skipResult, steadyNow } from './result/build-result.ts'
import { mayShare, resultKey } from './result/result-key.ts'
import type { AgentRequest } from '../session/agent-request.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import { ofToday } from '../report/results/result-cache.ts'
import type { CaseResult, PlannedCase } from '../report/results/result.ts'
import type { EvalCase } from '../formats/suite.ts'
import type { CaseKind, Observation } from './kinds/kind.ts'
import { pluginEval } from './kinds/plugin-eval.ts'
import { goldenTest, task } from './kinds/task.ts'
import { trigger } from './kinds/trigger.ts'

/*
 * The sequence of a case. Nothing else knows the order: a case is planned, each of its runs is prepared, taken over from an
 * earlier run of Vitest or executed and assessed, and its runs are combined to one result. What a kind of case does at a
 * step is in `kinds/`. Tests in TypeScript prepare and execute their runs here, and assess them by their matchers.
 */

/**
 * Runs one case and leaves its result in the journal. What goes wrong is a result too.
 *
 * A case that was stopped has none: the journal says that it was started, if it was.
 */
export async function runCase(context: RunContext, askedCase: AskedCase): Promise<CaseResult> {
  const { journal, redactor, settings } = context
  const planned = planCase(askedCase.suite, askedCase.evalCase, settings)
  const versioned = { ...askedCase, ...inItsVersion(askedCase, settings) }
  const startedAt = steadyNow()
  const kind = caseKind(versioned.evalCase)
  const { share, ...evaluation } = await evaluate(context, versioned, planned, startedAt, kind).catch(
    (error: unknown) => ({
      evaluated: resultOf(error, planned, startedAt),
      share: null,
    }),
  )
  const { evaluated } = evaluation
  const asksMore = settings.sabotage && evaluated.cached === undefined
  const extra = asksMore ? await sabotage(context, versioned, evaluated, (run) => runAside(context, run)) : null
  const finished = await kind.finish(context, versioned, { ...evaluated, ...extra })
  // A terminal shows it too, not only the report.
  const result = redactor.values(finished)
  if (versioned.signal.aborted && result.outcome === 'errored') return { ...result, error: STOPPED }
  await awaitMainExit(result.error)
  if (result.error?.code !== 'cancelled') await journal.end(result)
  if (share !== null) context.cache?.keep(share, result)
  return result
}

const STOPPED: NonNullable<CaseResult['error']> = { code: 'cancelled', message: 'The run was stopped.' }

async function evaluate<One extends EvalCase, Part>(
  context: RunContext,
  askedCase: AskedCase<One>,
  planned: PlannedCase,
  startedAt: Date,
  kind: CaseKind<One, Part>,
): Promise<Evaluated> {
  const { evalCase } = askedCase
  if (evalCase.broken !== undefined) throw new AgentEvalsError('invalid-suite', evalCase.broken)
  const nothing = evalCase.skipped ?? kind.whySkipped(evalCase)
  if (nothing !== null) return { evaluated: skipResult(planned, nothing, startedAt), share: null }

  const runs = runsOf(context, askedCase, { planned, startedAt }, kind)
  const over = kind.begin(askedCase)
  const ready = await Promise.all(runs.map((run) => makeReady(context, run)))
  const key = keyOfCase(context, askedCase, ready, kind)
  const share =
    key !== null && ready.every(({ run, prepared }) => 'request' in prepared && mayShare(run, prepared)) ? key : null
  const earlier =
    (key === null ? null : findEarlier(context, key, planned)) ??
    (share === null ? null : (context.cache?.find(share, planned) ?? null))
  const of = runs.length
  const parts = earlier === null ? await performAll(context, askedCase, ready, kind).finally(over) : (over(), [])
  const evaluated = earlier ?? (await kind.combine(context, { askedCase, planned, startedAt, parts, of, key }))
  return { evaluated, share }
}

// All at once; where a case may stop early, as many at once as would be made one after the other.
async function performAll<One extends EvalCase, Part>(
  context: RunContext,
  askedCase: AskedCase<One>,
  ready: readonly ReadyRun<One>[],
  kind: CaseKind<One, Part>,
): Promise<readonly Part[]> {
  const of = ready.length
  const parts: Part[] = []
  for (;;) {
    const due = context.settings.stopsEarly ? kind.due(context, { askedCase, parts, of }) : of - parts.length
    if (due === 0) return parts
    const next = ready.slice(parts.length, parts.length + due)
    parts.push(...(await Promise.all(next.map((one) => perform(context, one, kind, of > 1)))))
  }
}

/** What became of a case, and the key under which later runs may share it; `null` where they may not. */
interface Evaluated {
  readonly evaluated: CaseResult
  readonly share: string | null
}

function runsOf<One extends EvalCase, Part>(
  { settings }: RunContext,
  askedCase: AskedCase<One>,
  { planned, startedAt }: Pick<Run, 'planned' | 'startedAt'>,
  kind: CaseKind<One, Part>,
): readonly Run<One>[] {
  const { suite, evalCase, signal } = askedCase
  const of = countRuns(evalCase, settings)
  return countTo(of).map((index) => {
    return { suite, evalCase, signal, planned, startedAt, index, settings, label: kind.label(planned, index, of) }
  })
}

/** A run of which is known whether it can start. */
interface ReadyRun<One extends EvalCase> {
  readonly run: Run<One>
  readonly prepared: PreparedRun | SkippedRun | { readonly error: unknown }
}

async function makeReady<One extends EvalCase>(context: RunContext, run: Run<One>): Promise<ReadyRun<One>> {
  return { run, prepared: await prepare(context, run).catch((error: unknown) => ({ error })) }
}

function keyOfCase<One extends EvalCase, Part>(
  context: RunContext,
  askedCase: AskedCase<One>,
  ready: readonly ReadyRun<One>[],
  kind: CaseKind<One, Part>,
): string | null {
  const keys = ready.flatMap(({ run, prepared }) => ('request' in prepared ? [resultKey(run, prepared)] : []))
  return keys.length < ready.length ? null : kind.keyOf(keys, askedCase, context)
}

function findEarlier({ earlier }: RunContext, key: string, planned: PlannedCase): CaseResult | null {
  const found = earlier?.find(key) ?? null
  return found === null ? null : ofToday(found, planned)
}

/** Prepares a run: whatever can be known to be wrong is known before anything is started. */
export function prepare(context: RunContext, run: Run): Promise<PreparedRun | SkippedRun> {
  const { suite, evalCase, label, index, recorded = index, settings, signal, sabotages } = run
  return prepareRun({
    suite,
    evalCase,
    label,
    run: recorded,
    engineName: run.planned.engineName,
    settings,
    signal,
    packages: context.packages,
    inputs: context.inputs,
    ...(sabotages === undefined ? {} : { sabotages }),
  })
}

async function perform<One extends EvalCase, Part>(
  context: RunContext,
  { run, prepared }: ReadyRun<One>,
  kind: CaseKind<One, Part>,
  isOneOfSeveral: boolean,
): Promise<Part> {
  const part = await performOnce(context, run, prepared, kind).catch((error: unknown) => kind.broken(error, run))
  if (isOneOfSeveral) await kind.keep(context, part)
  return part
}

async function performOnce<One extends EvalCase, Part>(
  context: RunContext,
  run: Run<One>,
  prepared: ReadyRun<One>['prepared'],
  kind: CaseKind<One, Part>,
): Promise<Part> {
  if ('error' in prepared) throw prepared.error
  if ('skipped' in prepared) return kind.skipped(prepared.skipped, run)
  const key = resultKey(run, prepared)
  const earlier = run.sabotages === undefined ? findEarlier(context, key, run.planned) : null
  if (earlier !== null && kind.reused !== undefined) return kind.reused(earlier)
  // A judge that is missing must not cost the agent's run, nor one that nothing is left for.
  const { evalCase, planned, settings, suite } = run
  const { engineName } = planned
  const { model } = prepared.source
  const share = await reserveForJudge(run, prepared, () =>
    requireJudge({ suite, evalCase, settings, engineName, model }),
  )
  try {
    const started = kind.start(context, run, prepared, key)
    return await started.assess(await execute(context, run, prepared, started))
  } finally {
    share[Symbol.dispose]()
  }
}

/** Sets aside what the judge of a live run will cost; does nothing where none is asked or paid. */
export async function reserveForJudge(
  { settings, signal }: Pick<Run, 'settings' | 'signal'>,
  { request, source }: PreparedRun,
  findJudge: () => Promise<ExpectedJudge | null>,
): Promise<Disposable> {
  const judge = upstreamKind(source.answers) === 'live' ? await findJudge() : null
  if (judge === null) return { [Symbol.dispose]() {} }
  const share = { ...judge, caseId: request.label, wire: judge.wire ?? request.engine.engine.wire }
  return keepJudgeShare(settings.controlSocket, share, signal)
}

/** One execution that has ended. */
export interface ExecutedRun {
  readonly outcome: RecordedOutcome
  readonly review: RecordingReview
  readonly evidence: EvidenceKeeper
  /** Notices of the package, staging, the recording and the evidence. Complete once all evidence is written. */
  readonly notices: () => readonly string[]
  /** Writes the recording, with the judge's answers where there are new ones. */
  readonly keepRecording: (judge: RecordedJudge | null) => void
}

/** Executes a prepared run, keeps its evidence and reviews its recording. */
export async function execute(
  { journal, redactor }: RunContext,
  { planned, index, sabotages, settings }: Run,
  prepared: PreparedRun,
  { further, inspect, inspectTurn, outcomeOf, engine }: Observation,
): Promise<ExecutedRun> {
  const { suite, evalCase } = prepared.request
  const evidence = openEvidence(settings, planned, index, redactor)
  const collect: AgentRequest['collect'] = async (root, run) => {
    await evidence.keepArtifacts(root, run.files)
    const { packageRoot } = suite
    const originals =
      packageRoot === undefined ? [] : await readBefore({ suite: { ...suite, packageRoot }, evalCase }, run.files)
    await evidence.keep((folder, redact) => keepTextsBefore(folder.artifacts, originals, redact))
    await inspect?.(root, run)
  }
  const collectTurn: AgentRequest['collectTurn'] = async (root, ended, turn) => {
    await evidence.keepTurn(root, ended.files, turn)
    await inspectTurn?.(root, ended, turn)
  }
  const request: AgentRequest = {
    ...prepared.request,
    // A run that still waits for its turn when the process is killed never started.
    ...(sabotages === undefined ? { onStart: () => journal.start(planned) } : {}),
    ...further,
    ...(inspect === undefined ? {} : { collect }),
    ...(inspectTurn === undefined ? {} : { collectTurn }),
  }
  const outcome = await runRecorded({ ...prepared, request }, outcomeOf, engine)
  await evidence.keep((folder, redact) => writeRunFiles(folder, wholePrompt(evalCase), outcome.run, redact))
  const review = reviewRecording(outcome, prepared.source, settings)
  return {
    outcome,
    review,
    evidence,
    notices: () => [...prepared.findings, ...outcome.warnings, ...review.notices, ...evidence.lost],
    keepRecording: (judge) => keepRecording(prepared.source.recordingFile, outcome, judge),
  }
}

// Runs a case once more, whose result is none of the run: nothing of it is in the journal, and nothing is taken over.
async function runAside<One extends EvalCase>(context: RunContext, run: Run<One>): Promise<CaseResult> {
  const kind = caseKind(run.evalCase)
  const part = await perform(context, await makeReady(context, run), kind, false)
  return kind.combine(context, { ...run, askedCase: run, parts: [part], of: 1, key: null })
}

const KINDS = { task, trigger, 'plugin-eval': pluginEval, golden: goldenTest }

/** How the cases of a kind run. What they mean before is in `formats/kinds.ts`. */
function caseKind<One extends EvalCase>({ kind }: One): CaseKind<One, unknown> {
  return KINDS[kind] as unknown as CaseKind<One, unknown>
}
