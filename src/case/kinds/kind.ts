import type { PreparedRun } from '../replay/run-recorded.ts'
import type { CaseResult, PlannedCase } from '../../report/results/result.ts'
import type { EvalCase } from '../../formats/suite.ts'
import type { AskedCase, Run, RunContext } from '../context.ts'
import type { ExecutedRun, Observation } from '../execute.ts'

/** A run that is about to be executed. */
export interface StartedRun<Part> extends Observation {
  /** Checks and judges what came of it. */
  assess(executed: ExecutedRun): Promise<Part>
}

/** The runs of a case that have ended. */
export interface EndedRuns<One extends EvalCase, Part> {
  readonly askedCase: AskedCase<One>
  readonly planned: PlannedCase
  readonly startedAt: Date
  readonly parts: readonly Part[]
  /** How many runs were planned: where a case may stop early, some of them were not made. */
  readonly of: number
  /** Key of the case as a whole; `null` where not all of its runs could be prepared. */
  readonly key: string | null
}

/** How a kind of case takes part in the sequence of `run.ts`. */
export interface CaseKind<One extends EvalCase, Part> {
  /** Why there is nothing to decide; `null` when there is. */
  whySkipped(evalCase: One): string | null
  /** Names a run among `of`. */
  label(planned: Pick<PlannedCase, 'id'>, index: number, of: number): string
  /** Called before anything is prepared. */
  begin(askedCase: AskedCase<One>): void
  /** Key of the whole case, of the keys of its runs. */
  keyOf(keys: readonly string[], askedCase: AskedCase<One>, context: RunContext): string
  start(context: RunContext, run: Run<One>, prepared: PreparedRun, key: string): StartedRun<Part>
  /** The fewest further runs after which the verdict may be certain; 0 once nothing can change it. */
  due(context: RunContext, ended: Pick<EndedRuns<One, Part>, 'askedCase' | 'of' | 'parts'>): number
  /** What the earlier result of one of several runs is; absent where an earlier result is that of the whole case. */
  reused?(earlier: CaseResult): Part
  /** What a run that is skipped, or one that broke is. */
  skipped(reason: string, run: Run<One>): Part
  broken(error: unknown, run: Run<One>): Part
  /** Keeps one of several runs, should the others be lost. */
  keep(context: RunContext, part: Part): Promise<void>
  combine(context: RunContext, ended: EndedRuns<One, Part>): Promise<CaseResult>
}
