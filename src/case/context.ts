import { setTimeout as sleep } from 'node:timers/promises'
import type { SuiteCache } from '../formats/format.ts'
import type { EvalCase, Suite } from '../formats/suite.ts'
import type { Redactor } from '../gateway/redact.ts'
import type { RunSettings } from '../options/settings.ts'
import type { EarlierResults } from '../report/fold/earlier-results.ts'
import type { Journal } from '../report/results/journal.ts'
import type { ResultCache } from '../report/results/result-cache.ts'
import type { CaseResult, PlannedCase } from '../report/results/result.ts'
import type { InputCache } from '../session/inputs/input-cache.ts'

/** What all cases of a worker share. It is passed on as it is. */
export interface RunContext {
  readonly settings: RunSettings
  readonly journal: Journal
  readonly redactor: Redactor
  readonly packages: SuiteCache
  readonly inputs: InputCache
  /** Finished cases of earlier runs; absent when nothing is to be taken over. */
  readonly earlier?: EarlierResults | undefined
  /** What passed in other runs and has not changed; absent where all is to run. */
  readonly cache?: ResultCache | undefined
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

/**
 * Waits where the gateway is gone, since mostly the main process is gone with it. Then this one ends in a moment too, and
 * nothing is written of a case that was interrupted or never begun: it must not look as if it had broken.
 */
export async function awaitMainExit(error: CaseResult['error']): Promise<void> {
  if (error?.code === 'gateway-unavailable') await sleep(MOMENT_MS)
}

const MOMENT_MS = 3000
