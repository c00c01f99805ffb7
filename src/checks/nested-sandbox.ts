import { toolCalls } from '../transcript/select.ts'
import { firstLine } from './hook-events.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/**
 * Says that no call of a run was carried out because a sandbox cannot start inside another. Such a run ends well and
 * shows nothing, not even that the agent did wrong. `patterns` match what engines say then. `null` when none did.
 */
export function describeNestedSandbox(run: Pick<AgentRun, 'transcript'>, patterns: readonly RegExp[]): string | null {
  const results = toolCalls(run).map(({ result }) => result)
  const nested = results.flatMap((result) => {
    const found = result?.isError === true ? patterns.map((pattern) => pattern.exec(result.text)?.[0]) : []
    return found.find((reason) => reason !== undefined) ?? []
  })
  const [first] = nested
  if (first === undefined || nested.length < results.length) return null
  const why = firstLine(first)
  return `nested sandbox: no call ran, because the agent's own sandbox cannot start inside this one: ${why}. Turn it off; the session is already confined.`
}
