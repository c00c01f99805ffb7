import { posix } from 'node:path'
import type { SandboxRequest } from './sandbox.ts'

/** What keeps files of a session as they were staged. Paths relative to the root of the run, `/`-separated. */
export interface ProtectedPaths {
  /** Mounted read-only. */
  readonly files: readonly string[]
  /** Folders around them, mounted on themselves: a mount point cannot be renamed, so no other folder takes their place. */
  readonly folders: readonly string[]
}

/** Where the protected files of a session need mounts. What is read-only anyway needs none. */
export function protectedPaths({
  protectedFiles = [],
  writablePaths,
}: Pick<SandboxRequest, 'protectedFiles' | 'writablePaths'>): ProtectedPaths {
  const writable = (writablePaths ?? ['.']).map((path) => posix.join('workspace', path))
  const isOpen = (path: string): boolean =>
    !path.startsWith('workspace/') || writable.some((folder) => path.startsWith(`${folder.replace(/\/\.?$/, '')}/`))
  const files = protectedFiles.filter(isOpen)
  const folders = new Set(files.flatMap(foldersOf).filter(isOpen))
  return { files, folders: [...folders].toSorted() }
}

// The first folder of a run is a mount of its own.
function foldersOf(file: string): readonly string[] {
  const names = file.split('/')
  return names.slice(2).map((_, index) => names.slice(0, index + 2).join('/'))
}
