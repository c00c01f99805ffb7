import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentEvalsError } from '../errors.ts'

/**
 * Makes an empty folder that only this user can enter, and returns its path.
 *
 * @throws {AgentEvalsError} `workspace-failed`, with what is wrong with the folder for temporary files.
 */
export function createTemporaryFolder(prefix: string, base: string = tmpdir()): string {
  try {
    return mkdtempSync(join(base, prefix))
  } catch (cause) {
    const { code = 'EIO' } = cause as NodeJS.ErrnoException
    const problem = PROBLEMS[code] ?? `no folder can be made there (${code})`
    const message = `Cannot use ${base} for temporary files: ${problem}. Set TMPDIR to a folder that can be written.`
    throw new AgentEvalsError('workspace-failed', message, { cause })
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'its permissions do not allow it',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it is not a folder',
  EPERM: 'its permissions do not allow it',
  EROFS: 'its file system is read-only',
}
