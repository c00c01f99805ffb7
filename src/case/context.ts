import type { InputCache } from '../inputs/input-cache.ts'
import type { EarlierResults } from '../report/fold/earlier-results.ts'
import type { Journal } from '../results/journal/journal.ts'
import type { Redactor } from '../results/redact.ts'
import type { PlannedCase } from '../results/result.ts'
import type { RunSettings } from '../settings.ts'
import type { SuiteCache } from '../suites/suite-cache.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'

/** What all cases of a worker share. It is passed on as it is. */
export interface RunContext {
  readonly settings: RunSettings
  readonly journal: Journal
  readonly redactor: Redactor
  readonly packages: SuiteCache
  readonly inputs: InputCache
  /** Finished cases of earlier runs; absent when nothing is to be taken over. */
  readonly earlier?: EarlierResults | undefined
}

/** One case to run. */
export interface AskedCase<One extends EvalCase = EvalCase> {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: One
  /** Aborts when the user or `--bail` stops the run. */
  readonly signal: AbortSignal
}

/** One run of a case. */
export interface Run<One extends EvalCase = EvalCase> extends AskedCase<One> {
  readonly planned: PlannedCase
  readonly startedAt: Date
  /** Shown while waiting and in errors. */
  readonly label: string
  /** Which of the runs with one evidence folder, from 1. */
  readonly index: number
  /** Which of the runs of its recording, from 1. Default: `index`. */
  readonly recorded?: number
  /** Those of the context, with what this run asks for itself. */
  readonly settings: RunSettings
  /** The event whose hooks do nothing in this run, which is no result then. */
  readonly sabotages?: string
}
