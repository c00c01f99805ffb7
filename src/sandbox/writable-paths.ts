import { lstatSync, mkdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { AgentEvalsError } from '../errors.ts'

/** Makes the folders that may be written; returns them without decoration. Only what exists can be mounted, and an agent that finds them in one sandbox must find them in each. */
export function makeWritablePaths(workspace: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    const inner = normalizeWritablePath(path)
    makeFolder(workspace, inner, path)
    return inner
  })
}

function normalizeWritablePath(path: string): string {
  const inner = posix.normalize(path.replace(/\/\*{1,2}$/, '')).replace(/\/$/, '')
  if (!posix.isAbsolute(inner) && inner !== '..' && !inner.startsWith('../') && !inner.includes('\0')) return inner

  throw unsafe(path, 'it leads out of the workspace')
}

// Step by step, because a link that the package brought must not move the mount out of the workspace.
function makeFolder(workspace: string, inner: string, path: string): void {
  let at = workspace
  for (const name of inner.split('/')) {
    at = join(at, name)
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === true) throw unsafe(path, 'it goes through a symbolic link')
    if (found !== undefined && !found.isDirectory()) throw unsafe(path, 'it names a file, not a folder')
    if (found === undefined) mkdirSync(at)
  }
}

function unsafe(path: string, reason: string): AgentEvalsError {
  return new AgentEvalsError(
    'unsafe-path',
    `The writable path ${JSON.stringify(path)} cannot be used: ${reason}. Name a folder below the workspace, such as "output/".`,
  )
}
