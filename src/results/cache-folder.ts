import { homedir } from 'node:os'
import { join } from 'node:path'

/** Folder in the user's home for what every repository shares; it may be removed at any time. */
export function cacheFolder(): string {
  const folder = process.env['XDG_CACHE_HOME'] ?? ''
  return join(folder === '' ? join(homedir(), '.cache') : folder, 'vitest-agent-evals')
}
