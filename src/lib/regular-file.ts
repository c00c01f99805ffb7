import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs'

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
export type OpenFile = { readonly ok: true; readonly fd: number; readonly stat: BigIntStats } | NotOpened

/** Why a file was not opened, with the system's code and as the end of a sentence about it. */
export interface NotOpened {
  readonly ok: false
  readonly code: string
  readonly reason: string
}

/**
 * Opens once and asks the descriptor what it is, so that nothing can be swapped between check and read. Never waits on a
 * pipe. The caller closes `fd`.
 *
 * @param options - `follow`: also through a link in the last component of the path.
 */
export function openRegular(file: string, { follow = false } = {}): OpenFile {
  const noFollow = follow ? 0 : (constants.O_NOFOLLOW ?? 0)
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'EIO'
    return { ok: false, code, reason: REASONS[code] ?? `cannot be opened (${code})` }
  }
  const stat = fstatSync(fd, { bigint: true })
  if (stat.isFile()) return { ok: true, fd, stat }
  closeSync(fd)
  if (stat.isDirectory()) return { ok: false, code: 'EISDIR', reason: 'is a folder' }
  return { ok: false, code: 'EINVAL', reason: stat.isFIFO() ? 'is a named pipe' : 'is a device' }
}

/** As {@link openRegular}, also through links. Throws an error with the system's code where there is no regular file. */
export function openOrThrow(file: string): Extract<OpenFile, { ok: true }> {
  const opened = openRegular(file, { follow: true })
  if (!opened.ok) throw Object.assign(new Error(`${file} ${opened.reason}`), { code: opened.code })
  return opened
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
