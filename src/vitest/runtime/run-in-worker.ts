import { runCase } from '../../case/run.ts'
import { workerState } from './worker-state.ts'
import type { CaseResult } from '../../report/results/result.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'

/** A case, and what it takes to run it in a worker. */
export interface WorkerCase {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  readonly settings: RunSettings
  readonly signal: AbortSignal
}

/** Runs a case with what all cases of this worker share. */
export async function runInWorker(asked: WorkerCase): Promise<CaseResult> {
  const state = workerState(asked.settings)
  // What is printed of it ends in logs that more people can read than the run's folder.
  return state.redactor.values(await runCase(state, asked))
}
