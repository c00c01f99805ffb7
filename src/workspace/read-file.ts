import { closeSync, readSync } from 'node:fs'
import { LEADS_OUT, openWorkspaceFile } from './open-workspace-file.ts'

/** What was found at a path of a workspace. */
export type WorkspaceRead =
  | {
      readonly status: 'read'
      /** At most `maxBytes`, from the beginning. */
      readonly bytes: Buffer
      /** Bytes of the whole file. */
      readonly size: number
      readonly truncated: boolean
    }
  | { readonly status: 'missing' }
  /** It is not safe to read, such as a link or a pipe. `isNoFile`: it is known not to be a file of the workspace. */
  | { readonly status: 'unreadable'; readonly reason: string; readonly isNoFile?: boolean }

/**
 * Reads a file that an agent may have written, at most `maxBytes` of it. `root` has no links in it, as
 * `createWorkspace` returns it.
 */
export async function readWorkspaceFile(root: string, path: string, maxBytes: number): Promise<WorkspaceRead> {
  const opened = openWorkspaceFile(root, path)
  if (!opened.ok) {
    const isMissing = opened.code === 'ENOENT' || opened.code === 'ENOTDIR'
    if (isMissing) return { status: 'missing' }
    const isNoFile = opened.code === 'EISDIR' || opened.code === LEADS_OUT
    return { status: 'unreadable', reason: opened.reason, ...(isNoFile ? { isNoFile } : {}) }
  }
  try {
    const size = Number(opened.stat.size)
    const bytes = readUpTo(opened.fd, Math.min(size, maxBytes))
    return { status: 'read', bytes, size, truncated: bytes.length < size }
  } catch (error) {
    return { status: 'unreadable', reason: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'EIO'})` }
  } finally {
    closeSync(opened.fd)
  }
}

/** Reads a file that is open, from its beginning; fewer bytes where it is shorter. */
export function readUpTo(fd: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}
