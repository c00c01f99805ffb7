import type { TestProject, Vitest } from 'vitest/node'
import type { Gateway } from '../../gateway/gateway.ts'
import type { SuiteStore } from '../modules/suite-store.ts'
import type { Provenance } from '../../report/results/provenance.ts'
import type { ReadReport } from '../../report/read-report.ts'
import type { Budgets } from '../../options/project-options.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { Progress } from './progress.ts'
import type { CasePlanner } from '../plugin/case-planner.ts'
import type { WatchedCases } from '../watch/watch-cases.ts'

/** Says what is about to be spent, and asks whether it may be, before the first request to a model. */
export interface SpendingGuard {
  /** Begins a pass of Vitest. Anything but yes ends the process with exit code 2 before anything is sent. */
  begin(announced: string | null): Promise<void>
  /**
   * Announces a run that nobody could foresee, such as a test in TypeScript without a recording.
   *
   * @throws {AgentEvalsError} `spending-declined`
   */
  beforeSpending(caseId: string): Promise<void>
}

/** What the reporter is made from. */
export interface EvalsReporterOptions {
  readonly vitest: Vitest
  readonly project: TestProject
  readonly store: SuiteStore
  readonly planner: CasePlanner
  /** The suites of the version that every case is compared with; `null` where none is, or it has none of those asked for. */
  readonly versionStore: SuiteStore | null
  /** The report that this run is compared with; `null` where there is none. */
  readonly comparedReport: ReadReport | null
  /** Whether a regression fails the run; `null` where nothing is compared. */
  readonly gate: { readonly ref: string; readonly fails: boolean } | null
  /** Limits of the run; `null` where there are none. */
  readonly budgets: Budgets | null
  readonly settings: RunSettings
  /** Absolute path of the report, `false` for none, `null` for the usual place. */
  readonly report: string | false | null
  /** Absolute path of the page, `true` for the usual place, `false` for none. */
  readonly html: boolean | string
  /** Absolute path of the comment for a pull request; `null` for none. */
  readonly comment: string | null
  /** Whether golden tests are logged. */
  readonly runLog: boolean
  /** Whether only what golden tests came to is printed. */
  readonly summaryOnly: boolean
  readonly progress: Progress
  readonly spending: Pick<SpendingGuard, 'begin'>
  /** US dollars that the gateway has counted so far. */
  readonly gatewayCostUsd: () => number
  /** What workers need not make themselves. */
  readonly prepared: Gateway['prepared']
  /** Aborts when Vitest closes or cancels. */
  readonly closed: AbortSignal
  /** What follows from changed files. */
  readonly watched: WatchedCases
  /** Files of the user's own projects that run agents: their tests are in the report too. */
  readonly userProjects: ReadonlySet<string>
  /** Why the run was cancelled; `null` when it was not. */
  readonly cancelledFor: () => string | null
  /** Where and with what the runs of a package are made; asked for early where that is cheap. */
  readonly provenanceOf: (packageRoot: string) => Promise<Provenance>
}
