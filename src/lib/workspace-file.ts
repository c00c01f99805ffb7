import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  readlinkSync,
  realpathSync,
  type BigIntStats,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Code of a path that names nothing in the workspace, whatever is there. */
const LEADS_OUT = 'EXDEV'

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

/** What was found at a path of a workspace. */
type WorkspaceRead =
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

/** A regular file that is open for reading, or why it is not. */
type OpenFile =
  | { readonly ok: true; readonly fd: number; readonly stat: BigIntStats }
  | { readonly ok: false; readonly code: string; readonly reason: string }

/**
 * Opens once and asks the descriptor what it is, so that nothing can be swapped between check and read.
 * Neither follows a link in the last component nor waits on a pipe. The caller closes `fd`.
 */
export function openRegular(file: string): OpenFile {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'EIO'
    return { ok: false, code, reason: REASONS[code] ?? `cannot be opened (${code})` }
  }
  const stat = fstatSync(fd, { bigint: true })
  if (stat.isFile()) return { ok: true, fd, stat }
  closeSync(fd)
  const code = stat.isDirectory() ? 'EISDIR' : 'EINVAL'
  return {
    ok: false,
    code,
    reason: stat.isDirectory() ? 'is a folder' : stat.isFIFO() ? 'is a named pipe' : 'is a device',
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'may not be read',
  EISDIR: 'is a folder',
  ELOOP: 'is a symbolic link',
  EMLINK: 'is a symbolic link',
  ENAMETOOLONG: 'has a path longer than the system allows',
  ENOENT: 'does not exist',
  ENOTDIR: 'is below a path that is not a folder',
  ENXIO: 'is a socket or a pipe',
  EPERM: 'may not be read',
}
