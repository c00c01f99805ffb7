import { AgentEvalsError } from '../lib/errors.ts'
import { awaitMainExit, type AskedCase, type Run, type RunContext } from './context.ts'
import { upstreamKind } from '../gateway/leases/lease.ts'
import { countTo } from '../lib/lists.ts'
import { execute, prepare } from './execute.ts'
import type { PreparedRun } from './replay/run-recorded.ts'
import { requireJudge } from './judge/require-judge.ts'
import { inItsVersion } from '../formats/before.ts'
import { kindOf } from '../formats/kinds.ts'
import { noteQuery } from './template-ahead.ts'
import { countRuns, planCase } from './plan/plan-case.ts'
import type { SkippedRun } from './prepare/prepare-run.ts'
import { sabotage } from './sabotage.ts'
import { resultOf, skipResult, steadyNow } from './result/build-result.ts'
import { mayShare, resultKey } from './result/result-key.ts'
import { ofToday } from '../report/results/result-cache.ts'
import type { CaseResult, PlannedCase } from '../report/results/result.ts'
import type { EvalCase } from '../formats/suite.ts'
import { countDue, isCancelled, type CaseKind } from './kinds/kind.ts'
import { pluginEval } from './kinds/plugin-eval.ts'
import { goldenTest, task } from './kinds/task.ts'
import { trigger } from './kinds/trigger.ts'

/*
 * The sequence of a case: it is planned, each of its runs is prepared, taken over from an earlier run of Vitest or executed
 * and assessed, and its runs are combined to one result. What a kind of case does at a step is in `kinds/`, and what
 * becomes of one run in `execute.ts`.
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
  const asksMore = settings.sabotage && !evaluated.cached
  const extra = asksMore ? await sabotage(context, versioned, evaluated, (run) => runAside(context, run)) : null
  // A terminal shows it too, not only the report.
  const result = redactor.values({ ...evaluated, ...extra })
  if (versioned.signal.aborted && result.outcome === 'errored') return { ...result, error: STOPPED }
  await awaitMainExit(result.error)
  if (result.error?.code !== 'cancelled') await journal.end(result)
  if (share !== null) context.cache?.keep(share, result)
  return result
}

const STOPPED: NonNullable<CaseResult['error']> = { code: 'cancelled', message: 'The run was stopped.' }

async function evaluate<One extends EvalCase>(
  context: RunContext,
  askedCase: AskedCase<One>,
  planned: PlannedCase,
  startedAt: Date,
  kind: CaseKind<One>,
): Promise<Evaluated> {
  const { evalCase } = askedCase
  if (evalCase.broken !== undefined) throw new AgentEvalsError('invalid-suite', evalCase.broken)
  const nothing = evalCase.skipped ?? kind.whySkipped(evalCase)
  if (nothing !== null) return { evaluated: skipResult(planned, nothing, startedAt), share: null }

  if (kindOf(evalCase).question(evalCase) !== null) noteQuery(askedCase)
  const runs = runsToMake(context, askedCase, { planned, startedAt })
  const ready = await Promise.all(runs.map((run) => makeReady(context, run)))
  const key = keyOfCase(ready)
  const share =
    key !== null && ready.every(({ run, prepared }) => 'request' in prepared && mayShare(run, prepared)) ? key : null
  const earlier =
    (key === null ? null : findEarlier(context, key, planned)) ??
    (share === null ? null : (context.cache?.find(share, planned) ?? null))
  const evaluated =
    earlier ?? combine(context, askedCase, await performAll(context, askedCase, ready, kind), runs, kind)
  return { evaluated, share }
}

// All at once; where a case may stop early, as many at once as would be made one after the other.
async function performAll<One extends EvalCase>(
  context: RunContext,
  { evalCase }: AskedCase<One>,
  ready: readonly ReadyRun<One>[],
  kind: CaseKind<One>,
): Promise<readonly CaseResult[]> {
  const { settings } = context
  const of = ready.length
  const results: CaseResult[] = []
  for (;;) {
    const due = countDue(kind, { evalCase, settings, results, of })
    if (due === 0) return results
    const next = ready.slice(results.length, results.length + due)
    results.push(...(await Promise.all(next.map((one) => perform(context, one, kind, of > 1)))))
  }
}

function combine<One extends EvalCase>(
  { settings }: RunContext,
  { evalCase }: Pick<AskedCase<One>, 'evalCase'>,
  [first, ...rest]: readonly CaseResult[],
  runs: readonly Run[],
  kind: CaseKind<One>,
): CaseResult {
  if (first === undefined) throw new AgentEvalsError('invalid-suite', 'It has no run.')
  // A rate of the runs that were quick enough would be another one.
  if ([first, ...rest].some(isCancelled)) throw new AgentEvalsError('cancelled', 'The run was cancelled.')
  const of = runs.length
  const saved = settings.stopsEarly && of > 1 ? { saved: of - rest.length - 1 } : {}
  return kind.combine(evalCase, first, rest, { runs: of, threshold: kind.threshold(evalCase, settings), ...saved })
}

/** What became of a case, and the key under which later runs may share it; `null` where they may not. */
interface Evaluated {
  readonly evaluated: CaseResult
  readonly share: string | null
}

function runsToMake<One extends EvalCase>(
  { settings }: RunContext,
  askedCase: AskedCase<One>,
  { planned, startedAt }: Pick<Run, 'planned' | 'startedAt'>,
): readonly Run<One>[] {
  const { suite, evalCase, signal } = askedCase
  const of = countRuns(evalCase, settings)
  return countTo(of).map((index) => {
    const label = of === 1 ? planned.id : `${planned.id} (run ${index})`
    return { suite, evalCase, signal, planned, startedAt, index, settings, label }
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

function keyOfCase<One extends EvalCase>(ready: readonly ReadyRun<One>[]): string | null {
  const keys = ready.flatMap(({ run, prepared }) => ('request' in prepared ? [resultKey(run, prepared)] : []))
  return keys.length < ready.length ? null : keys.join(' ')
}

function findEarlier({ earlier }: RunContext, key: string, planned: PlannedCase): CaseResult | null {
  const found = earlier?.find(key) ?? null
  return found === null ? null : ofToday(found, planned)
}

async function perform<One extends EvalCase>(
  context: RunContext,
  { run, prepared }: ReadyRun<One>,
  kind: CaseKind<One>,
  isOneOfSeveral: boolean,
): Promise<CaseResult> {
  const { planned, startedAt } = run
  const result = await performOnce(context, run, prepared, kind).catch((error: unknown) =>
    resultOf(error, planned, startedAt),
  )
  // It is kept, should the others be lost.
  if (isOneOfSeveral && result.runs.length > 0 && !isCancelled(result)) await context.journal.endRun(result)
  return result
}

async function performOnce<One extends EvalCase>(
  context: RunContext,
  run: Run<One>,
  prepared: ReadyRun<One>['prepared'],
  kind: CaseKind<One>,
): Promise<CaseResult> {
  const { evalCase, planned, settings, startedAt, suite } = run
  if ('error' in prepared) throw prepared.error
  if ('skipped' in prepared) return skipResult(planned, prepared.skipped, startedAt)
  const key = resultKey(run, prepared)
  const earlier = run.sabotages === undefined ? findEarlier(context, key, planned) : null
  if (earlier !== null) return earlier
  // A judge that is missing must not cost the agent's run.
  const { engineName } = planned
  const { model } = prepared.source
  if (upstreamKind(prepared.source.answers) === 'live')
    await requireJudge({ suite, evalCase, settings, engineName, model })
  const started = kind.start(run, prepared, key)
  return started.assess(await execute(context, run, prepared, started))
}

// Runs a case once more, whose result is none of the run: nothing of it is in the journal, and nothing is taken over.
async function runAside<One extends EvalCase>(context: RunContext, run: Run<One>): Promise<CaseResult> {
  const kind = caseKind(run.evalCase)
  return combine(context, run, [await perform(context, await makeReady(context, run), kind, false)], [run], kind)
}

const KINDS = { task, trigger, 'plugin-eval': pluginEval, golden: goldenTest }

/** How the cases of a kind run. What they mean before is in `formats/kinds.ts`. */
function caseKind<One extends EvalCase>({ kind }: One): CaseKind<One> {
  return KINDS[kind] as unknown as CaseKind<One>
}
