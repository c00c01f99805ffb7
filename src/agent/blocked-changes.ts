import { touchedFile, universalCalls } from '../engines/hooks/hook-shim-payload.ts'
import type { HookCoverage } from '../engines/hooks/hook-coverage.ts'
import type { RecordedDecision } from '../engines/hooks/hook-plan.ts'
import type { FileChanges } from '../transcript/agent-run.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** A clause on a file that changed although the only call that names it was blocked; `null` when there is none. */
export function changedByBlocked(
  events: readonly UnnumberedEvent[],
  decisions: readonly RecordedDecision[],
  { created, modified, unreadable }: FileChanges,
  { readers }: Pick<HookCoverage, 'readers'>,
): string | null {
  const blocked = new Set(decisions.filter(isBlock).map(({ toolCallId }) => toolCallId))
  const calls = events.flatMap((event) => (event.kind === 'tool-call' ? [event] : []))
  // Any other call may have changed it.
  if (blocked.size === 0 || calls.some(({ id, tool }) => !blocked.has(id) && !readers.includes(tool))) return null
  const changed = [...created, ...modified, ...unreadable].map(({ path }) => path)
  for (const { id, tool, input } of calls.filter((call) => blocked.has(call.id))) {
    const named = universalCalls({ tool_name: tool, tool_input: input }, '/').map((one) =>
      touchedFile({ tool_input: input, ...one }),
    )
    const file = changed.find((path) => named.some((one) => one === path || one.endsWith(`/${path}`)))
    if (file !== undefined) return `decisions.jsonl says that ${tool} (${id}) was blocked, and its file ${file} changed`
  }
  return null
}

function isBlock({ event, decision }: RecordedDecision): boolean {
  return event === 'pre-tool-use' && (decision === 'blocked-exit-2' || decision === 'denied-json')
}
