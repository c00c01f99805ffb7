import { toolCalls } from '../transcript/select.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import { firstLine } from './hook-events.ts'

/**
 * Says that no call of a run was carried out, for a reason that is none of the package's: no user could approve it, or
 * the engine itself could not: `refusals` match the results of such calls. Such a run ends well and shows nothing. `null`
 * when there is no such thing to say.
 */
export function describeAllRefused(run: Pick<AgentRun, 'transcript'>, refusals: readonly RegExp[]): string | null {
  const results = toolCalls(run).map(({ result }) => result)
  const refused = results.flatMap((result) => (result !== null && isRefused(result, refusals) ? [result] : []))
  const [first] = refused
  if (first === undefined || refused.length < results.length) return null
  const calls = refused.length === 1 ? 'its only call was refused' : `all of its ${refused.length} calls were refused`
  return `The run ended well, but ${calls}: ${firstLine(first.text)}`
}

/** Names a tool that a scenario calls and the engine does not have: its author meant another one. */
export function describeUnknownTool(run: Pick<AgentRun, 'transcript'>, patterns: readonly RegExp[]): string | null {
  const found = toolCalls(run).find(
    ({ result }) => result?.isError === true && patterns.some((pattern) => pattern.test(result.text)),
  )
  return found === undefined
    ? null
    : `The scenario calls the tool ${JSON.stringify(found.call.tool)}, which the engine does not have: ${firstLine(found.result?.text ?? '')}`
}

type Result = Extract<AgentRun['transcript'][number], { kind: 'tool-result' }>

function isRefused({ blockedBy, isError, text }: Result, refusals: readonly RegExp[]): boolean {
  return isError && (blockedBy === 'permission' || refusals.some((refusal) => refusal.test(text)))
}
