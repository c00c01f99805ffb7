import { AgentEvalsError } from '../errors.ts'
import { parseDecisions } from '../engines/hooks/hook-decisions.ts'
import { readWorkspaceFile } from '../workspace/read-file.ts'
import type { RecordedDecision } from '../engines/hooks/hook-plan.ts'

/**
 * Reads what the hook shim recorded. The agent could write there too, so it is read as untrusted.
 *
 * @throws {AgentEvalsError} `workspace-failed` when the file was replaced by something else.
 */
export async function readDecisions(hooks: string): Promise<readonly RecordedDecision[]> {
  const read = await readWorkspaceFile(hooks, 'decisions.jsonl', MOST_BYTES)
  if (read.status === 'missing') return []
  if (read.status === 'read') return parseDecisions(read.bytes.toString('utf8'))
  throw new AgentEvalsError(
    'workspace-failed',
    `The decisions of the hooks cannot be read: decisions.jsonl ${read.reason}. Something in the session replaced it.`,
  )
}

const MOST_BYTES = 16 * 1024 * 1024
