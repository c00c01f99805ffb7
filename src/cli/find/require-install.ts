import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describeKind } from '../../lib/documents/read-text.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { foldersUpwards } from '../../lib/files.ts'

/**
 * Refuses a folder whose package.json would be opened for ever: Vite reads it without a look at what it is.
 *
 * @throws {AgentEvalsError} `invalid-options`
 */
export function requireManifest(folder: string): void {
  for (const at of foldersUpwards(folder)) {
    const file = join(at, 'package.json')
    const kind = kindOf(file)
    if (kind !== null) {
      const message = `${file} is ${kind}, not a regular file. Put a file in its place, or remove it.`
      throw new AgentEvalsError('invalid-options', message)
    }
  }
}

/** What a path leads to when that is neither a file nor a folder; `null` where nothing can be read. */
function kindOf(file: string): string | null {
  try {
    const stats = statSync(file)
    return stats.isDirectory() ? null : describeKind(stats)
  } catch {
    return null
  }
}

/** What to do where Vitest, or the Vite that it needs, is not installed: Yarn installs no peer of a package. */
export function missingPeer(error: unknown): string | null {
  const [, name] = /^Cannot find package '(vite|vitest)' imported from/.exec(messageOf(error)) ?? []
  if (name === undefined) return null
  return `The package ${name} is not installed. Add it to your development dependencies: npm install --save-dev ${name}, or yarn add --dev ${name}`
}
