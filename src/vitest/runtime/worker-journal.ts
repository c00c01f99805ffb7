import { openJournal, type Journal } from '../../results/journal/journal.ts'
import { createRedactor, type Redactor } from '../../results/redact.ts'
import type { RunSettings } from '../../settings.ts'

/** What every test leaves its result through. */
export interface WorkerJournal {
  readonly journal: Journal
  readonly redactor: Redactor
}

/** The journal of this worker for a run, opened at the first call. */
export function workerJournal({ runFolder, dryRun }: Pick<RunSettings, 'dryRun' | 'runFolder'>): WorkerJournal {
  const known = journals.get(runFolder)
  if (known !== undefined) return known
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
