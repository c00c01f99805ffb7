import type { SuiteCache } from '../suites/suite-cache.ts'
import type { AssertCase, TestSuite } from '../suites/tests/test-suite.ts'
import type { PackageCopies } from '../workspace/package-copy.ts'
import type { Runtime } from './native-payload.ts'

/** What the main process tells every worker about free tests: plain JSON, the same for a whole run. */
export interface AssertSettings {
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Where Vitest was started. */
  readonly cwd: string
  /** Command line that runs the project; a filter completes it. */
  readonly command: string
  /** Absolute path of the folder for copies of packages. */
  readonly copies: string
  /** `NAME=value` in the environment of every script of the run. */
  readonly runTag: string
}

/** One free test to run, and what it shares with the others of its worker. */
export interface AssertRequest {
  readonly suite: Omit<TestSuite, 'cases' | 'issues'>
  readonly assertCase: AssertCase
  /** The runtime in whose spelling a hook's event is sent; `null`: as the format spells it. */
  readonly runtime: Runtime | null
  readonly settings: AssertSettings
  readonly packages: Pick<SuiteCache, 'packageOf'>
  readonly copies: PackageCopies
  /** Aborts when the test times out or the run is stopped. */
  readonly signal: AbortSignal
}
