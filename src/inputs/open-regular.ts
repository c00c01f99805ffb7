import { closeSync, constants, fstatSync, openSync, type BigIntStats } from 'node:fs'

/** A regular file that is open for reading, or why it is not. */
export type OpenFile =
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
