import { closeSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openRegular, type OpenFile } from '../inputs/open-regular.ts'

/** Code of a path that names nothing in the workspace, whatever is there. */
export const LEADS_OUT = 'EXDEV'

/**
 * Opens a file that an agent may have written, without trusting one byte of it: no link anywhere in its path,
 * a regular file, one name only. The caller closes `fd`.
 */
export function openWorkspaceFile(root: string, path: string): OpenFile {
  if (path.split('/').includes('..') || path.startsWith('/') || path.includes('\0')) {
    return { ok: false, code: LEADS_OUT, reason: 'leads out of the workspace' }
  }
  const file = join(root, path)
  const before = linkAbove(file)
  if (before !== null) return before
  const opened = openRegular(file)
  if (!opened.ok) return opened
  const problem =
    opened.stat.nlink > 1n
      ? { ok: false as const, code: 'EMLINK', reason: 'is a hard link' }
      : movedSince(opened.fd, file)
  if (problem === null) return opened
  closeSync(opened.fd)
  return problem
}

// The system's own answer is faster, but on macOS it spells names as the disk does.
const realpath = process.platform === 'darwin' ? realpathSync : realpathSync.native

function linkAbove(file: string): Extract<OpenFile, { ok: false }> | null {
  const folder = dirname(file)
  try {
    if (realpath(folder) === folder) return null
    return { ok: false, code: 'ELOOP', reason: 'is below a folder that is a symbolic link' }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'EIO'
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: false, code: 'ENOENT', reason: 'does not exist' }
    return { ok: false, code, reason: `is below a folder that cannot be opened (${code})` }
  }
}

// A folder could have been replaced by a link between the look and the opening.
function movedSince(fd: number, file: string): Extract<OpenFile, { ok: false }> | null {
  if (process.platform !== 'linux') return linkAbove(file)
  try {
    if (readlinkSync(`/proc/self/fd/${fd}`) === file) return null
  } catch {
    return linkAbove(file)
  }
  return { ok: false, code: 'ELOOP', reason: 'was replaced while it was read' }
}
