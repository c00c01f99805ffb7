import type { AgentEvalsOptions } from '../../options/options.ts'

/** How the plugin is found among others. */
export const PLUGIN_NAME = 'agent-evals'

/** Names of configuration files that Vitest reads. */
export const CONFIG_FILE: RegExp = /^vite(?:st)?(?:\.[\w-]+)?\.config\./

/** What the plugin tells our command. */
export interface AgentEvalsApi {
  /** Name of the project that needs an engine. */
  readonly projectName: string
  /** Name of the project of the free tests. */
  readonly assertName: string
  /** As they were given. */
  readonly options: AgentEvalsOptions
}
