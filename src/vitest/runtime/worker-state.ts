import { basename } from 'node:path'
import { learnVersions } from '../../engines/find/find.ts'
import { namesOfEngines } from '../../engines/registry.ts'
import { useEndpoints } from '../../gateway/wires/apis.ts'
import { createInputCache, type InputCache } from '../../inputs/input-cache.ts'
import { readEarlierResults, type EarlierResults } from '../../report/fold/earlier-results.ts'
import { createSuiteCache, type SuiteCache } from '../../suites/suite-cache.ts'
import { workerJournal, type WorkerJournal } from './worker-journal.ts'
import type { RunSettings } from '../../settings.ts'

/** What all cases of a worker share, however many files it runs. */
export interface WorkerState extends WorkerJournal {
  readonly packages: SuiteCache
  readonly inputs: InputCache
  /** Finished cases of earlier runs; absent when nothing is to be taken over. */
  readonly earlier: EarlierResults | undefined
}

/** The state of this worker for a run, made at the first call. */
export function workerState(settings: WorkerSettings): WorkerState {
  const { runFolder } = settings
  const known = states.get(runFolder)
  if (known !== undefined) return known
  learnVersions(settings.engineVersions)
  useEndpoints(settings.judgeEndpoints)
  const state = {
    ...workerJournal(settings),
    packages: createSuiteCache({ names: namesOfEngines(), trial: settings.trial }),
    inputs: createInputCache(),
    earlier: settings.resume ? readEarlierResults(settings.root, basename(runFolder)) : undefined,
  }
  states.set(runFolder, state)
  return state
}

type WorkerSettings = Pick<
  RunSettings,
  'dryRun' | 'engineVersions' | 'judgeEndpoints' | 'resume' | 'root' | 'runFolder' | 'trial'
>

const states = new Map<string, WorkerState>()
