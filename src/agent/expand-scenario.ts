import type { Scenario } from '../gateway/sources/scenario-file.ts'

/**
 * Replaces `${WORKSPACE}` in a scenario by the workspace as the agent sees it: file tools want absolute paths, and
 * a scenario is written before there is one.
 */
export function expandScenario(scenario: Scenario, workspace: string): Scenario {
  return expand(scenario, workspace) as Scenario
}

function expand(value: unknown, workspace: string): unknown {
  if (typeof value === 'string') return value.replaceAll('${WORKSPACE}', workspace)
  if (Array.isArray(value)) return value.map((item) => expand(item, workspace))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, workspace)]))
}
