import { basename } from 'node:path'
import { runCase } from '../../case/run.ts'
import { learnVersions } from '../../engines/find.ts'
import { namesOfEngines } from '../../engines/registry.ts'
import { useEndpoints } from '../../gateway/wires/apis.ts'
import { createInputCache } from '../../session/inputs/input-cache.ts'
import { readEarlierResults } from '../../report/fold/earlier-results.ts'
import { openResultCache } from '../../report/results/result-cache.ts'
import { createSuiteCache } from '../../formats/load-suite.ts'
import { workerJournal } from './worker-journal.ts'
import type { RunContext } from '../../case/context.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { CaseResult } from '../../report/results/result.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'

/** What all cases of this worker share for a run, however many files it runs; made at the first call. */
export function workerState(settings: RunSettings): RunContext {
  const { runFolder } = settings
  const earlier = states.get(runFolder)
  if (earlier !== undefined) return earlier
  learnVersions(settings.engineVersions)
  useEndpoints(settings.judgeEndpoints)
  const state: RunContext = {
    settings,
    ...workerJournal(settings),
    packages: createSuiteCache({ names: namesOfEngines(), trial: settings.trial }),
    inputs: createInputCache(),
    cache:
      settings.cache === null
        ? undefined
        : openResultCache(basename(runFolder), { root: settings.root, folder: settings.cache }),
    earlier: settings.resume ? readEarlierResults(settings.root, basename(runFolder)) : undefined,
  }
  states.set(runFolder, state)
  return state
}

const states = new Map<string, RunContext>()

/** A case, and what it takes to run it in a worker. */
export interface WorkerCase {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  readonly settings: RunSettings
  readonly signal: AbortSignal
}

/** Runs a case with what all cases of this worker share. */
export async function runInWorker(workerCase: WorkerCase): Promise<CaseResult> {
  const state = workerState(workerCase.settings)
  // What is printed of it ends in logs that more people can read than the run's folder.
  return state.redactor.values(await runCase(state, workerCase))
}
