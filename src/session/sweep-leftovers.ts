import { sweepSockets } from '../gateway/control/sockets.ts'
import { ownProgram } from '../own-folder.ts'
import { runAfterDeath } from '../sandbox/process/launch.ts'
import { sweepWorkspaces } from './workspace.ts'

/**
 * Removes what runs left that were killed: unconfined processes, workspaces and sockets.
 * Returns a sentence for each that could not be removed.
 */
export async function sweepLeftovers(): Promise<readonly string[]> {
  const [{ warnings }] = await Promise.all([sweepWorkspaces(), sweepSockets()])
  return warnings
}

/** Has what sessions leave removed even when this process is killed; returns how to call that off. */
export function startOrphanCleanup(): () => void {
  // Without a shell the next start cleans up.
  if (process.platform === 'win32') return () => {}
  const places = ['TMPDIR', 'XDG_RUNTIME_DIR'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return runAfterDeath(process.execPath, [ownProgram('session/orphan-cleanup.js')], Object.fromEntries(places))
}
