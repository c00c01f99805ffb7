import { closeSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from './files.ts'
import { openRegular, readUpTo, type NotOpened, type OpenFile } from './regular-file.ts'

/** Code of a path that names nothing in the workspace, whatever is there. */
const LEADS_OUT = 'EXDEV'

/** Code of a regular file that has further names, maybe outside of the workspace. */
const HARD_LINK = 'EHARDLINK'

/**
 * Opens a file that an agent may have written, without trusting one byte of it: no link anywhere in its path,
 * a regular file, one name only. The caller closes `fd`.
 *
 * @param options - `manyNames`: hard links, too, for what shows nothing of the content.
 */
export function openWorkspaceFile(root: string, path: string, { manyNames = false } = {}): OpenFile {
  if (path.split('/').includes('..') || path.startsWith('/') || path.includes('\0')) {
    return { ok: false, code: LEADS_OUT, reason: 'leads out of the workspace' }
  }
  const file = join(root, path)
  const before = linkAbove(file)
  if (before !== null) return before
  const opened = openRegular(file)
  if (!opened.ok) return opened
  const hardLink: NotOpened = { ok: false, code: HARD_LINK, reason: 'is a hard link' }
  const problem = opened.stat.nlink > 1n && !manyNames ? hardLink : movedSince(opened.fd, file)
  if (problem === null) return opened
  closeSync(opened.fd)
  return problem
}

// The system's own answer is faster, but on macOS it spells names as the disk does.
const realpath = process.platform === 'darwin' ? realpathSync : realpathSync.native

function linkAbove(file: string): NotOpened | null {
  const folder = dirname(file)
  try {
    if (realpath(folder) === folder) return null
    return { ok: false, code: 'ELOOP', reason: 'is below a folder that is a symbolic link' }
  } catch (error) {
    const code = codeOf(error) || 'EIO'
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: false, code: 'ENOENT', reason: 'does not exist' }
    return { ok: false, code, reason: `is below a folder that cannot be opened (${code})` }
  }
}

// A folder could have been replaced by a link between the look and the opening.
function movedSince(fd: number, file: string): NotOpened | null {
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
  /** It is not safe to read, such as a link or a pipe. `isFile`: a file of the workspace, or none; absent where unknown. */
  | { readonly status: 'unreadable'; readonly reason: string; readonly isFile?: boolean }

/**
 * Reads a file that an agent may have written, at most `maxBytes` of it. `root` has no links in it, as
 * `createWorkspace` returns it.
 */
export async function readWorkspaceFile(root: string, path: string, maxBytes: number): Promise<WorkspaceRead> {
  const opened = openWorkspaceFile(root, path)
  if (!opened.ok) {
    const isMissing = opened.code === 'ENOENT' || opened.code === 'ENOTDIR'
    if (isMissing) return { status: 'missing' }
    const isNone = opened.code === 'EISDIR' || opened.code === LEADS_OUT
    const isFile = isNone || opened.code === HARD_LINK ? { isFile: !isNone } : {}
    return { status: 'unreadable', reason: opened.reason, ...isFile }
  }
  try {
    const size = Number(opened.stat.size)
    const bytes = readUpTo(opened.fd, Math.min(size, maxBytes))
    return { status: 'read', bytes, size, truncated: bytes.length < size }
  } catch (error) {
    return { status: 'unreadable', reason: `cannot be read (${codeOf(error) || 'EIO'})` }
  } finally {
    closeSync(opened.fd)
  }
}
