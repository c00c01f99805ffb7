import { AgentEvalsError } from '../errors.ts'
import { countTo } from '../lists.ts'
import { attemptTrigger } from './attempt-trigger.ts'
import { noteQuery } from './first-turn-plan.ts'
import { stopsNewWork } from '../results/stops-new-work.ts'
import { buildTriggerResult, type FinishedAttempt } from './result/build-trigger-result.ts'
import { skipResult } from './result/build-result.ts'
import { findOutWhetherSkillsFire, noteRunsUnderWay } from './run-canary.ts'
import { countRuns, triggerThreshold } from './plan/count-runs.ts'
import { countTriggers } from './assess/count-triggers.ts'
import { prepareRun } from './prepare/prepare-run.ts'
import { resultKey, triggerKey } from './result/result-key.ts'
import type { CaseResult, PlannedCase } from '../results/result.ts'
import type { TriggerPart } from '../results/trigger-part.ts'
import type { TriggerQuestion } from '../suites/suite.ts'
import type { CaseRequest } from './case-request.ts'
import type { PreparedRun } from '../replay/prepared-run.ts'

/** Runs a trigger query as often as is asked, each time in a workspace and a HOME of its own, and counts. */
export async function runTrigger(
  request: CaseRequest,
  planned: PlannedCase,
  question: TriggerQuestion,
  startedAt: Date,
): Promise<CaseResult> {
  const { settings, evalCase } = request
  noteQuery(request)
  const count = countRuns(evalCase, settings)
  const indexes = countTo(count)
  const threshold = triggerThreshold(question, settings)
  // First turns alone leave other runs out of the rate.
  const ofProbes = settings.triggers === 'probe' ? ['probe'] : []
  const keyOf = (prepared: readonly PreparedRun[]): string =>
    triggerKey([...ofProbes, ...prepared.map((one) => resultKey({ ...request, planned }, one))], threshold)
  const earlier = await findEarlier(request, planned, indexes, keyOf)
  if (earlier !== null) return earlier

  const over = noteRunsUnderWay(request.suite)
  const attempts = await Promise.all(indexes.map((index) => attemptTrigger(request, planned, question, index))).finally(
    over,
  )
  const [skipped] = attempts.flatMap((one) => ('skipped' in one ? [one.skipped] : []))
  if (skipped !== undefined) return skipResult(planned, skipped, startedAt)

  const finished = attempts.flatMap((one) => ('skipped' in one ? [] : [one]))
  const counted = countTriggers(finished, { question, query: evalCase.prompt, threshold })
  // A rate of the runs that were quick enough would be another one.
  if (finished.some(isCancelled)) throw new AgentEvalsError('cancelled', 'The run was cancelled.')
  const stop = counted.completed > 0 ? undefined : finished.find(({ error }) => stopsNewWork(error))
  if (stop?.error != null) throw stop.error
  const tried = await tryCanary(request, finished, counted)
  const isBroken = tried instanceof AgentEvalsError
  const part = { ...counted, canary: isBroken ? null : tried }
  const canaryError = isBroken ? tried : null
  const result = buildTriggerResult({ planned, startedAt, attempts: finished, part, canaryError })
  const prepared = finished.flatMap((one) => (one.prepared === null ? [] : [one.prepared]))
  return prepared.length === count ? { ...result, key: keyOf(prepared) } : result
}

// What cannot be prepared is for the attempts to say.
async function findEarlier(
  request: CaseRequest,
  planned: PlannedCase,
  indexes: readonly number[],
  keyOf: (prepared: readonly PreparedRun[]) => string,
): Promise<CaseResult | null> {
  if (request.earlier === undefined) return null
  const { engineName } = planned
  const prepared = await Promise.all(
    indexes.map((run) => prepareRun({ ...request, label: planned.id, engineName, run }).catch(() => null)),
  )
  const ready = prepared.flatMap((one) => (one === null || 'skipped' in one ? [] : [one]))
  const earlier = ready.length === indexes.length ? request.earlier.find(keyOf(ready)) : null
  return earlier === null ? null : { ...earlier, ...planned }
}

function isCancelled({ run, error }: FinishedAttempt): boolean {
  return run?.status === 'cancelled' || error?.code === 'cancelled'
}

// Only a query in which nothing at all was used leaves the doubt whether anything can be. A canary that breaks leaves it
// open, and the runs that were paid for stay.
async function tryCanary(
  { suite, settings }: CaseRequest,
  attempts: readonly FinishedAttempt[],
  { completed, fired, firedInstead }: TriggerPart,
): Promise<AgentEvalsError | TriggerPart['canary']> {
  const like = attempts.find(({ prepared }) => prepared !== null)?.prepared?.request
  if (completed === 0 || fired > 0 || firedInstead.length > 0 || like === undefined) return null
  try {
    return await findOutWhetherSkillsFire({ suite, settings, like })
  } catch (error) {
    if (!(error instanceof AgentEvalsError) || error.code === 'cancelled' || stopsNewWork(error)) throw error
    return error
  }
}
