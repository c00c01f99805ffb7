import { settleSandbox } from '../../sandbox/decide.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { findEngine } from '../../engines/find.ts'
import { nearest } from '../../options/option.ts'
import type { ResolvedOptions } from '../../options/options.ts'

/**
 * Starts the programs whose answers every run waits for, the engine's version and the sandbox's probe, while this process
 * loads what serves the run. Both are remembered, so that each case gets the answer or the error.
 */
export function askEarly(options: ResolvedOptions, root: string): void {
  const environment = process.env
  settleSandbox(options.sandbox, { environment, root }).catch(() => {})
  const name = nearest(options.engine, null, DEFAULT_ENGINE)
  // Its module is not loaded yet.
  if (options.dryRun || name in options.engineModules) return
  findEngine(name, { option: options.engines[name], environment, root }).catch(() => {})
}
