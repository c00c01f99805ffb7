import { toolCalls } from '../transcript/select.ts'
import { firstLine } from './hook-events.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/**
 * Says that no call of a run was carried out because a sandbox cannot start inside another. Such a run ends well and
 * shows nothing, not even that the agent did wrong. `null` when there is no such thing to say.
 */
export function describeNestedSandbox(run: Pick<AgentRun, 'transcript'>): string | null {
  const results = toolCalls(run).map(({ result }) => result)
  const nested = results.flatMap((result) =>
    result?.isError === true && NESTED.test(result.text) ? [result.text] : [],
  )
  const [first] = nested
  if (first === undefined || nested.length < results.length) return null
  const why = firstLine(NESTED.exec(first)?.[0] ?? first)
  return `nested sandbox: no call ran, because the agent's own sandbox cannot start inside this one: ${why}. Turn it off; the session is already confined.`
}

const NESTED = /^bwrap: .*\b(?:namespaces?|nesting|uid map)\b.*/m
