import { createRedactor, type Redactor } from '../../gateway/redact.ts'
import type { RunSettings } from '../../options/settings.ts'
import { openJournal, type Journal } from '../../report/results/journal.ts'

/** What every test leaves its result through. */
export interface WorkerJournal {
  readonly journal: Journal
  readonly redactor: Redactor
}

/** The journal of this worker for a run, opened at the first call. */
export function workerJournal({ runFolder, dryRun }: Pick<RunSettings, 'dryRun' | 'runFolder'>): WorkerJournal {
  const earlier = journals.get(runFolder)
  if (earlier !== undefined) return earlier
  const redactor = createRedactor(process.env)
  const made = { journal: dryRun ? NO_JOURNAL : openJournal(runFolder, { redactor }), redactor }
  journals.set(runFolder, made)
  return made
}

// A dry run leaves nothing.
const NO_JOURNAL: Journal = {
  plan() {},
  collected() {},
  start() {},
  async end() {},
  async endRun() {},
  async [Symbol.asyncDispose]() {},
}

const journals = new Map<string, WorkerJournal>()
