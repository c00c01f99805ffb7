import { AgentEvalsError } from '../errors.ts'
import { parseDecisions } from '../engines/hooks/hook-decisions.ts'
import { readWorkspaceFile } from '../workspace/read-file.ts'
import { unfinishedHooks, type StartedHook } from '../engines/hooks/hanging-hooks.ts'
import type { RecordedDecision } from '../engines/hooks/hook-plan.ts'

/**
 * Reads what the hook shim recorded. The agent could write there too, so it is read as untrusted.
 *
 * @throws {AgentEvalsError} `workspace-failed` when the file was replaced by something else.
 */
export async function readDecisions(hooks: string): Promise<readonly RecordedDecision[]> {
  return parseDecisions(await readLines(hooks, 'decisions.jsonl'))
}

/** Hooks that began and left no decision. */
export async function readUnfinished(hooks: string): Promise<readonly StartedHook[]> {
  return unfinishedHooks(await readLines(hooks, 'started.jsonl'), await readLines(hooks, 'decisions.jsonl'))
}

async function readLines(hooks: string, file: string): Promise<string> {
  const read = await readWorkspaceFile(hooks, file, MOST_BYTES)
  if (read.status === 'missing') return ''
  if (read.status === 'read') return read.bytes.toString('utf8')
  throw new AgentEvalsError(
    'workspace-failed',
    `The decisions of the hooks cannot be read: ${file} ${read.reason}. Something in the session replaced it.`,
  )
}

const MOST_BYTES = 16 * 1024 * 1024
