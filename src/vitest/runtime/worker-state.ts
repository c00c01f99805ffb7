import { basename } from 'node:path'
import { createInputCache, type InputCache } from '../../inputs/input-cache.ts'
import { readEarlierResults, type EarlierResults } from '../../report/earlier-results.ts'
import { openJournal, type Journal } from '../../report/journal.ts'
import { createRedactor, type Redactor } from '../../report/redact.ts'
import { createSuiteCache, type SuiteCache } from '../../suites/suite-cache.ts'
import type { RunSettings } from '../../run-settings.ts'

/** What all cases of a worker share, however many files it runs. */
export interface WorkerState {
  readonly journal: Journal
  readonly packages: SuiteCache
  readonly inputs: InputCache
  readonly redactor: Redactor
  /** Finished cases of earlier runs; absent when nothing is to be taken over. */
  readonly earlier: EarlierResults | undefined
}

/** The state of this worker for a run, made at the first call. */
export function workerState(settings: WorkerSettings): WorkerState {
  const { runFolder, dryRun } = settings
  const known = states.get(runFolder)
  if (known !== undefined) return known
  const redactor = createRedactor(process.env)
  const state = {
    journal: dryRun ? NO_JOURNAL : openJournal(runFolder, { redactor }),
    packages: createSuiteCache(),
    inputs: createInputCache(),
    redactor,
    earlier: settings.resume ? readEarlierResults(settings.root, basename(runFolder)) : undefined,
  }
  states.set(runFolder, state)
  return state
}

type WorkerSettings = Pick<RunSettings, 'dryRun' | 'resume' | 'root' | 'runFolder'>

// A dry run leaves nothing.
const NO_JOURNAL: Journal = {
  plan() {},
  start() {},
  async end() {},
  async endRun() {},
  async [Symbol.asyncDispose]() {},
}

const states = new Map<string, WorkerState>()
