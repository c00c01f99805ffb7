import { sweepSockets } from '../gateway/control/sockets.ts'
import { sweepControlGroups } from '../sandbox/control-group.ts'
import { sweepWorkspaces } from './workspace.ts'

/**
 * Removes what runs left that were killed: unconfined processes, workspaces, sockets and control groups.
 * Returns a sentence for each that could not be removed.
 */
export async function sweepLeftovers(): Promise<readonly string[]> {
  const [{ warnings }] = await Promise.all([sweepWorkspaces(), sweepSockets()])
  // Not before the processes in them are gone.
  sweepControlGroups()
  return warnings
}
