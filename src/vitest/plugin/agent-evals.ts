import type { Vite } from 'vitest/node'
import { createPlugin } from './create-plugin.ts'
import type { AgentEvalsOptions } from '../../options/options.ts'

/**
 * Turns the agent-eval files of a repository into tests: adds the project `evals`, and the project `assert` if skills,
 * hooks or commands have free `tests/`.
 *
 * @param options see {@link AgentEvalsOptions}; the environment (`AGENT_EVALS_*`) overrides them.
 * @throws {AgentEvalsError} `invalid-options` for an unknown or wrong option, `project-name-taken` when the
 * configuration already has a project of that name.
 * @example
 * export default defineConfig({ plugins: [agentEvals()] })
 */
export function agentEvals(options: AgentEvalsOptions = {}): Vite.Plugin {
  return createPlugin(options)
}
