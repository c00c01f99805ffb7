import { join } from 'node:path'
import { describeKind } from '../../lib/documents/read-text.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { foldersUpwards, tryStat } from '../../lib/files.ts'

/**
 * Refuses a folder whose package.json would be opened for ever: Vite reads it without a look at what it is.
 *
 * @throws {AgentEvalsError} `invalid-options`
 */
export function requireManifest(folder: string): void {
  for (const at of foldersUpwards(folder)) {
    const file = join(at, 'package.json')
    const stats = tryStat(file)
    const kind = stats === undefined || stats.isDirectory() ? null : describeKind(stats)
    if (kind === null) continue
    const message = `${file} is ${kind}, not a regular file. Put a file in its place, or remove it.`
    throw new AgentEvalsError('invalid-options', message)
  }
}

/** What to do where Vitest, or the Vite that it needs, is not installed: Yarn installs no peer of a package. */
export function missingPeer(error: unknown): string | null {
  const [, name] = /^Cannot find package '(vite|vitest)' imported from/.exec(messageOf(error)) ?? []
  if (name === undefined) return null
  return `The package ${name} is not installed. Add it to your development dependencies: npm install --save-dev ${name}, or yarn add --dev ${name}`
}
