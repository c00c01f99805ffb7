import { createInputCache, type InputCache } from '../../inputs/input-cache.ts'
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
}

/** The state of this worker for a run, made at the first call. */
export function workerState({ runFolder, dryRun }: Pick<RunSettings, 'dryRun' | 'runFolder'>): WorkerState {
  const known = states.get(runFolder)
  if (known !== undefined) return known
  const redactor = createRedactor(process.env)
  const state = {
    journal: dryRun ? NO_JOURNAL : openJournal(runFolder, { redactor }),
    packages: createSuiteCache(),
    inputs: createInputCache(),
    redactor,
  }
  states.set(runFolder, state)
  return state
}

// A dry run leaves nothing.
const NO_JOURNAL: Journal = { start() {}, async end() {}, async [Symbol.asyncDispose]() {} }

const states = new Map<string, WorkerState>()
