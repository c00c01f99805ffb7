import type { CaseExecution } from '../suites/formats/plugin-eval/model.ts'
import type { InstalledStandIn } from './mocks/stand-in.ts'

/** How the agent of a `claude plugin eval` case is run. */
export interface PluginSession extends CaseExecution {
  /** Folders of the plugins that it loads, as it sees them; the other arm has none. */
  readonly pluginDirs: readonly string[]
  readonly standIns: readonly InstalledStandIn[]
  /** Folders that the agent may read besides its own, as the session sees them. */
  readonly addDirs: readonly string[]
}
