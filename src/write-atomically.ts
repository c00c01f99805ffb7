import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'

/** Replaces a file at once: a reader sees the old text or the new one, and a full disk leaves the old. */
export function replaceFile(file: string, text: string): void {
  const temporary = writeTemporary(file, text)
  try {
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(file))
}

/** Adds to the end of a file, in one write. What is there must be a regular file: a link would lead anywhere. */
export function appendText(file: string, text: string): void {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
  const descriptor = openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o666)
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is not a regular file`)
    writeFileSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates a file with its whole text; `false` when something of that name is there already. */
export function createFile(file: string, text: string): boolean {
  const temporary = writeTemporary(file, text)
  try {
    return publish(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
    syncFolder(dirname(file))
  }
}

// A link never overwrites, a rename does. Where links are not known the name is reserved first.
function publish(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!NO_LINKS.has(codeOf(error))) throw error
  }
  try {
    closeSync(openSync(file, 'wx'))
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  renameSync(temporary, file)
  return true
}

function writeTemporary(file: string, text: string): string {
  const temporary = join(
    dirname(file),
    `.${basename(file).slice(0, 100)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`,
  )
  try {
    writeFileSync(temporary, text, { flag: 'wx', flush: true })
    return temporary
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

// So that the name survives a power cut too; not every system can.
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The file itself is safe.
  }
}

/** The system's code of an error, such as `ENOENT`; empty when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'])
