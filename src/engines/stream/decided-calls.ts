import { hashOfInput } from '../hooks/hook-shim-payload.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'
import type { RecordedDecision } from '../hooks/hook-plan.ts'

type Call = Extract<UnnumberedEvent, { kind: 'tool-call' }>

/** Finds the call that a decision concerns where the engine gave no id: the n-th decision of a hook on equal calls is the n-th one's. */
export function withCallIds(
  events: readonly UnnumberedEvent[],
  decisions: readonly RecordedDecision[],
): readonly RecordedDecision[] {
  if (decisions.every(({ input }) => input === undefined)) return decisions
  const calls = events.flatMap((event) =>
    event.kind === 'tool-call' ? [{ ...event, hash: hashOfInput(event.input) }] : [],
  )
  const seen = new Map<string, number>()
  return decisions.map((decision) => {
    if (decision.input === undefined) return decision
    const key = [decision.id, decision.tool, decision.input].join(' ')
    const index = seen.get(key) ?? 0
    seen.set(key, index + 1)
    const alike = calls.filter((call) => call.hash === decision.input && isSameTool(call, decision))
    return { ...decision, toolCallId: alike[index]?.id ?? null }
  })
}

// Hooks know the tools of MCP servers by names of the engine's own.
function isSameTool({ tool }: Call, decision: RecordedDecision): boolean {
  return tool === decision.tool || tool.startsWith('mcp__')
}
