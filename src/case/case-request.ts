import type { RunSettings } from '../settings.ts'
import type { Journal } from '../results/journal/journal.ts'
import type { InputCache } from '../inputs/input-cache.ts'
import type { EarlierResults } from '../report/fold/earlier-results.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'
import type { SuiteCache } from '../suites/suite-cache.ts'
import type { Redactor } from '../results/redact.ts'

/** One case to run, and what it shares with the others of its worker. */
export interface CaseRequest {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  readonly settings: RunSettings
  readonly journal: Journal
  readonly packages: Pick<SuiteCache, 'packageFor' | 'packageOf' | 'pluginsOf'>
  readonly inputs: InputCache
  readonly redactor: Redactor
  /** Finished cases of earlier runs; absent when nothing is to be taken over. */
  readonly earlier?: EarlierResults | undefined
  /** The event whose hooks do nothing in this run. */
  readonly sabotages?: string
  /** Aborts when the user or `--bail` stops the run. */
  readonly signal: AbortSignal
}
