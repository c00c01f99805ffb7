import type { Vite } from 'vitest/node'
import { createPlugin } from './create-plugin.ts'
import type { AgentEvalsOptions } from '../../options/options.ts'

/**
 * Makes the agent-eval files of a repository its tests: adds the project `evals`,
 * and the project `assert` where skills, hooks or commands have free `tests/`.
 *
 * @param options - see {@link AgentEvalsOptions}; the environment (`AGENT_EVALS_*`) wins over it.
 * @throws {AgentEvalsError} `invalid-options` for an unknown or wrong option, `project-name-taken` when the
 * configuration already has a project of that name.
 * @example
 * export default defineConfig({ plugins: [agentEvals()] })
 */
export function agentEvals(options: AgentEvalsOptions = {}): Vite.Plugin {
  return createPlugin(options)
}
