import { cutMiddle } from './cut.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** Tells as JSON what a run did: its numbered transcript, the changes of files, and the files of the vault it ran on. */
export function describeTrajectory(
  { transcript, files, engine }: Pick<AgentRun, 'engine' | 'files' | 'transcript'>,
  vault: readonly string[],
): string {
  const changes = {
    created: files.created.map(({ path }) => path),
    modified: files.modified.map(({ path }) => path),
    deleted: files.deleted,
  }
  const events = transcript.map((event) =>
    // The agent's messages are shown apart.
    event.kind === 'message' && event.agent === null ? { ...event, text: `${event.text.length} characters` } : event,
  )
  const trajectory = { engine, transcript: events, file_changes: changes, vault_files: vault }
  return JSON.stringify(
    trajectory,
    (_, value: unknown) => (typeof value === 'string' ? cutMiddle(value, LONGEST) : value),
    2,
  )
}

const LONGEST = 6000
