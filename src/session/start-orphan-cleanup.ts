import { ownProgram } from '../own-folder.ts'
import { runAfterDeath } from '../sandbox/process/launch.ts'

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
