import type { CaseExecution } from '../suites/formats/plugin-eval/model.ts'
import type { InstalledStandIn } from './stand-in.ts'

/** How the agent of a `claude plugin eval` case is run. */
export interface PluginSession extends CaseExecution {
  /** Whether it has the plugin; the other arm has not. */
  readonly hasPlugin: boolean
  /** Its name in names of tools. */
  readonly name: string
  readonly standIns: readonly InstalledStandIn[]
  /** Folders that the agent may read besides its own, as the session sees them. */
  readonly addDirs: readonly string[]
}
