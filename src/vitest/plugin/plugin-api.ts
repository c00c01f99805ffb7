/** How the plugin is found among others. */
export const PLUGIN_NAME = 'agent-evals'

/** What the plugin tells our command. */
export interface AgentEvalsApi {
  /** Name of the project that needs an engine. */
  readonly projectName: string
  /** Name of the project of the free tests. */
  readonly assertName: string
}
