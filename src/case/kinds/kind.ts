import type { RunSettings } from '../../options/settings.ts'
import { runsDue } from '../../report/results/decide-outcome.ts'
import type { AskedRuns } from '../../report/results/repeats-part.ts'
import type { CaseResult } from '../../report/results/result.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { EvalCase } from '../../formats/suite.ts'
import type { Run } from '../context.ts'
import type { ExecutedRun, Observation } from '../execute.ts'

/** A run that is about to be executed. */
export interface StartedRun extends Observation {
  /** Checks and judges what came of it: the result of a case that has only this run. */
  assess(executed: ExecutedRun): Promise<CaseResult>
}

/** How a kind of case takes part in the sequence of `run.ts`. */
export interface CaseKind<One extends EvalCase> {
  /** Why there is nothing to decide; `null` when there is. */
  whySkipped(evalCase: One): string | null
  /** Share of the completed runs that decides, from 0 to 1. */
  threshold(evalCase: One, settings: RunSettings): number
  /** Counts a run into the share that decides; `null` for a run that is in no rate. */
  counts(result: CaseResult): boolean | null
  /** Allows a case to end without all of its runs, once these can change nothing. */
  readonly mayEndEarly: boolean
  start(run: Run<One>, prepared: PreparedRun, key: string): StartedRun
  /** Makes one result of the results of its runs. */
  combine(evalCase: One, first: CaseResult, rest: readonly CaseResult[], asked: AskedRuns): CaseResult
}

/** The runs of a case so far. */
interface EndedRuns<One extends EvalCase> {
  readonly evalCase: One
  readonly settings: RunSettings
  readonly results: readonly CaseResult[]
  /** How many runs were planned. */
  readonly of: number
}

/** The fewest further runs after which the verdict may be certain; 0 once nothing can change it. */
export function countDue<One extends EvalCase>(
  kind: CaseKind<One>,
  { evalCase, settings, results, of }: EndedRuns<One>,
): number {
  // One skipped run skips the case, whatever the others show.
  const isStopped = results.some((one) => one.outcome === 'skipped' || isCancelled(one))
  if (!settings.stopsEarly || !kind.mayEndEarly || isStopped) return of - results.length
  const counted = results.map((one) => kind.counts(one)).filter((one) => one !== null)
  return runsDue({
    planned: of,
    ended: results.length,
    completed: counted.length,
    passed: counted.filter(Boolean).length,
    threshold: kind.threshold(evalCase, settings),
  })
}

/** Tells if the user or `--bail` stopped a run. */
export function isCancelled({ error }: Pick<CaseResult, 'error'>): boolean {
  return error?.code === 'cancelled'
}
