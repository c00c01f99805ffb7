import { AgentEvalsError } from '../errors.ts'
import { withDefinition } from './assess/define-graded.ts'
import { combineRuns } from '../results/combine-runs.ts'
import { stopsNewWork } from '../results/stops-new-work.ts'
import { runOnce } from './run-once.ts'
import { nearest } from '../settings.ts'
import { sabotaged } from './sabotage.ts'
import { runTrigger } from './run-trigger.ts'
import { errorResult, skipResult } from './result/build-result.ts'
import { countRuns } from './plan/count-runs.ts'
import { awaitMainExit } from '../cleanup/await-main-exit.ts'
import { planCase } from './plan/plan-case.ts'
import { steadyNow } from './result/steady-clock.ts'
import type { CaseResult, PlannedCase } from '../results/result.ts'
import type { CaseRequest } from './case-request.ts'

/**
 * Runs one case and leaves its result in the journal. What goes wrong is a result too.
 *
 * A case that was stopped has none: the journal says that it was started, if it was.
 */
export async function runCase(request: CaseRequest): Promise<CaseResult> {
  const { suite, evalCase, settings, journal } = request
  const planned = planCase(suite, evalCase, settings)
  const startedAt = steadyNow()
  const evaluated = await evaluate(request, planned, startedAt).catch((error: unknown) =>
    resultOf(error, planned, startedAt),
  )
  const extra = settings.sabotage ? await sabotaged(request, planned, evaluated) : null
  const plugins = await request.packages.pluginsOf(suite, evalCase)
  const unredacted = withDefinition({ ...evaluated, ...extra }, evalCase, plugins, settings)
  // A terminal shows it too, not only the report.
  const result = request.redactor.values(unredacted)
  if (request.signal.aborted && result.outcome === 'errored') return { ...result, error: STOPPED }
  await awaitMainExit(result.error)
  if (result.error?.code !== 'cancelled') await journal.end(result)
  return result
}

const STOPPED: NonNullable<CaseResult['error']> = { code: 'cancelled', message: 'The run was stopped.' }

function resultOf(error: unknown, planned: PlannedCase, startedAt: Date): CaseResult {
  return stopsNewWork(error)
    ? skipResult(planned, `not-run: ${error.message}`, startedAt)
    : errorResult(planned, error, startedAt)
}

async function evaluate(request: CaseRequest, planned: PlannedCase, startedAt: Date): Promise<CaseResult> {
  const { evalCase, settings } = request
  if (evalCase.skipped !== undefined) return skipResult(planned, evalCase.skipped, startedAt)
  if (evalCase.broken !== undefined) throw new AgentEvalsError('invalid-suite', evalCase.broken)
  if (evalCase.trigger !== undefined) return runTrigger(request, planned, evalCase.trigger, startedAt)
  if (evalCase.criteria === null && evalCase.checks.length === 0 && evalCase.pluginEval === undefined)
    return skipResult(planned, NOTHING_EXPECTED, startedAt)
  const runs = countRuns(evalCase, settings)
  return runs === 1 ? runOnce(request, planned, { index: 1, of: 1 }) : runRepeatedly(request, planned, runs)
}

const NOTHING_EXPECTED = 'no expectations, so no result can be right or wrong'

async function runRepeatedly(request: CaseRequest, planned: PlannedCase, runs: number): Promise<CaseResult> {
  const { evalCase, journal, settings } = request
  const run = async (index: number): Promise<CaseResult> => {
    const startedAt = steadyNow()
    const result = await runOnce(request, planned, { index, of: runs }).catch((error: unknown) =>
      resultOf(error, planned, startedAt),
    )
    // Where other runs of the case are lost this one is not.
    if (result.runs.length > 0 && result.error?.code !== 'cancelled') await journal.endRun(result)
    return result
  }
  const [first, ...rest] = await Promise.all([run(1), ...Array.from({ length: runs - 1 }, (_, at) => run(at + 2))])
  // A rate of the runs that were quick enough would be another one.
  if ([first, ...rest].some(({ error }) => error?.code === 'cancelled'))
    throw new AgentEvalsError('cancelled', 'The run was cancelled.')
  return combineRuns(first, rest, {
    runs,
    threshold: nearest(settings.passThreshold, evalCase.passThreshold ?? null, 1),
  })
}
