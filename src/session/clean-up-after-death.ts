import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runAfterDeath } from '../process.ts'

/** Has what sessions leave removed even when this process is killed; returns how to call that off. */
export function cleanUpAfterDeath(): () => void {
  // Without a shell the next start cleans up.
  if (process.platform === 'win32') return () => {}
  const places = ['TMPDIR', 'XDG_RUNTIME_DIR'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return runAfterDeath(process.execPath, [programFile()], Object.fromEntries(places))
}

// From the built package as from its sources.
function programFile(): string {
  const beside = fileURLToPath(new URL('after-death.js', import.meta.url))
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/session/after-death.js', import.meta.url))
}
