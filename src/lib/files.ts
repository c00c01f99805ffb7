import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Dirent,
  type Stats,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { tryParseJson, type JsonValue } from './json.ts'
import { isBelow } from './links.ts'
import { openOrThrow } from './regular-file.ts'

/** The text of a file, as {@link readBytes} reads it. */
export function readTextFile(file: string): string {
  return readBytes(file).toString('utf8')
}

/** Reads a regular file, also through links. Throws where there is none, and for one of more than 256 MiB. */
export function readBytes(file: string): Buffer {
  const { fd, stat } = openOrThrow(file)
  try {
    if (stat.size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES / 1_048_576} MiB`)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

const MAX_BYTES = 268_435_456

/** The user's home; `null` for a user id without an account, as containers have them, where `HOME` is not set either. */
export function homeFolder(): string | null {
  try {
    return homedir()
  } catch {
    return null
  }
}

/** The text of a file; `null` where it cannot be read. */
export function tryReadText(file: string): string | null {
  try {
    return readTextFile(file)
  } catch {
    return null
  }
}

/** The value in a JSON file; `undefined` where it cannot be read. */
export function tryReadJson(file: string): JsonValue | undefined {
  return tryParseJson((tryReadText(file) ?? '').replace(/^\uFEFF/, ''))
}

/** Whether a path leads to a file. Links are followed; what cannot be reached, as through a link to itself, is none. */
export function isFile(path: string): boolean {
  return tryStat(path)?.isFile() === true
}

/** Whether a path leads to a folder, as {@link isFile} does. */
export function isFolder(path: string): boolean {
  return tryStat(path)?.isDirectory() === true
}

/** What a path leads to; `undefined` where it cannot be reached. Links are followed. */
export function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** The names in a folder; none where it cannot be read. */
export function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The entries of a folder, or of all folders in it, too; none where it cannot be read. Links are not followed. */
export function listEntries(folder: string, recursive = false): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    if (!recursive) return entries
    // `recursive` of Node itself follows links since version 22.
    return entries.flatMap((entry) =>
      entry.isDirectory() ? [entry, ...listEntries(join(folder, entry.name), true)] : [entry],
    )
  } catch {
    return []
  }
}

/**
 * The first symbolic link on the way from a folder to a path below it; `null` when there is none. What a repository holds
 * may lead anywhere: nothing is written or removed through it.
 */
export function linkOnTheWay(root: string, path: string): string | null {
  const parts = relative(root, path).split(sep)
  const steps = parts.map((_, index) => join(root, ...parts.slice(0, index + 1)))
  return steps.find(isLink) ?? null
}

/** Throws where {@link linkOnTheWay} finds a link. */
export function refuseLinks(root: string, path: string): void {
  const link = linkOnTheWay(root, path)
  if (link !== null) throw new Error(`${link} is a symbolic link`)
}

/** Throws where links lead a path below a folder out of it. Those inside it, such as `.claude/skills`, are the author's. */
export function refuseLeaving(root: string, path: string): void {
  const isLost = isLink(path) && !existsSync(path)
  const nearest = foldersUpwards(path).find((one) => existsSync(one)) ?? root
  if (isLost || !isBelow(realpathSync(nearest), realpathSync(root)))
    throw new Error(`a symbolic link leads out of ${root}`)
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/** A folder and all above it, the nearest first. */
export function foldersUpwards(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersUpwards(parent)]
}

/** The nearest folder upwards that is a checkout of Git; `null` where none is. */
export function checkoutAround(folder: string): string | null {
  return foldersUpwards(folder).find((above) => existsSync(join(above, '.git'))) ?? null
}

/** A folder and all above it as far as a root, the nearest first. */
export function foldersUpTo(root: string, folder: string): readonly string[] {
  const folders = foldersUpwards(folder)
  const last = folders.indexOf(root)
  return last === -1 ? folders : folders.slice(0, last + 1)
}

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
