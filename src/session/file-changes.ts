import { closeSync, lstatSync, opendirSync, type BigIntStats, type Dir } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openWorkspaceFile } from '../lib/workspace-file.ts'
import type { ChangedFile, FileChanges, UnreadFile } from '../transcript/transcript.ts'
import { hashOpenFile } from './inputs/input-cache.ts'
import { describeKind, sortByPath } from './inputs/list-files.ts'

/** Compares a workspace with how it was, by content. A walk that was cut short is named at path `.`. */
export async function findChanges(root: string, before: Snapshot, limits: WalkLimits = {}): Promise<FileChanges> {
  const after = await walkWorkspace(root, limits, before)
  const created: ChangedFile[] = []
  const modified: ChangedFile[] = []
  const unreadable: UnreadFile[] = []
  if (after.cut !== null)
    unreadable.push({ path: '.', reason: `was not read completely: ${after.cut}`, kind: 'hidden', isNew: false })
  for (const [path, file] of after.files) {
    const earlier = before.files.get(path)
    const changed = { path, size: file.size, hash: file.hash }
    const change = changeOf(file, earlier)
    if (change === 'created') created.push(changed)
    else if (change === 'modified') modified.push(changed)
    else if (change !== null)
      unreadable.push({ ...printable(path, change.kind), reason: change.reason, isNew: earlier === undefined })
  }
  const unseen = [...before.files.keys()].filter((path) => !after.files.has(path))
  const deleted = unseen.filter((path) => isGone(join(root, path)))
  return {
    created: sortByPath(created),
    modified: sortByPath(modified),
    deleted: deleted.toSorted(),
    unreadable: sortByPath(unreadable),
  }
}

// Without the content a file is there all the same, and another size is another content.
function changeOf(
  file: WalkedFile,
  earlier: WalkedFile | undefined,
): Pick<UnreadFile, 'kind' | 'reason'> | 'created' | 'modified' | null {
  const isRead = file.hash !== null && earlier !== undefined && earlier.hash !== null
  if (isRead) return earlier.hash === file.hash ? null : 'modified'
  if (earlier?.stamp === file.stamp && file.stamp !== '') return null
  if (!isRegular(file)) return file.unread
  if (earlier === undefined) return 'created'
  return isRegular(earlier) && earlier.size === file.size ? (file.unread ?? earlier.unread) : 'modified'
}

function isRegular({ unread: problem }: WalkedFile): boolean {
  return problem === null || problem.kind === 'unread'
}

// A replacement character replaces bytes that are no text; a path may be as long as the system allows.
function printable(path: string, kind: UnreadFile['kind']): Pick<UnreadFile, 'kind' | 'path'> {
  const text = path === '' ? '.' : path.replaceAll('\uFFFD', '\\x??')
  return text.length > 300 ? { path: `${text.slice(0, 200)}…${text.slice(-80)}`, kind: 'hidden' } : { path: text, kind }
}

// The walk may have been cut short, or kept out of a folder.
function isGone(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true
  } catch {
    return false
  }
}

/** How much of a workspace is looked at. What an agent leaves has no natural end. */
export interface WalkLimits {
  /** Files and folders. @default 100000 */
  readonly entries?: number
  /** Bytes of one file; a larger one is named, not read. @default 64 MiB */
  readonly fileBytes?: number
  /** Bytes that are read in all. @default 1 GiB */
  readonly totalBytes?: number
  /** Milliseconds. @default 30000 */
  readonly deadlineMs?: number
}

/** What a walk remembers of one file: a hash, or why there is none. */
interface WalkedFile {
  readonly stamp: string
  /** Whether an equal stamp later proves equal content. */
  readonly isProof: boolean
  /** Bytes. */
  readonly size: number
  readonly hash: string | null
  /** Why there is no hash. */
  readonly unread: Pick<UnreadFile, 'kind' | 'reason'> | null
}

/** What lay in a workspace at one moment, by path. */
export interface Snapshot {
  readonly files: ReadonlyMap<string, WalkedFile>
  /** Why the walk ended early; `null` when it saw everything. */
  readonly cut: string | null
}

/**
 * Hashes every regular file of a workspace without git and without following a link. A file whose stamp proves
 * that it is as it was in `earlier` is not read again.
 */
export async function walkWorkspace(root: string, given: WalkLimits = {}, earlier?: Snapshot): Promise<Snapshot> {
  const limits = { ...DEFAULT_LIMITS, ...given }
  const deadline = performance.now() + limits.deadlineMs
  const files = new Map<string, WalkedFile>()
  const folders = ['']
  let entries = 0
  let bytes = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const opened = openFolder(root, folder)
    if (typeof opened === 'string') {
      files.set(folder, unread('hidden', opened))
      continue
    }
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        entries += 1
        if (entries > limits.entries)
          return { files, cut: `more than ${limits.entries.toLocaleString('en')} files and folders` }
        if (entries % ENTRIES_PER_TURN === 0) await nextTurn()
        if (performance.now() > deadline) return { files, cut: `${limits.deadlineMs / 1000} seconds were not enough` }
        // Names are bytes to the system; one that is no text cannot be opened by its text again.
        if (entry.name.includes('\uFFFD')) files.set(path, unread('hidden', 'has a name that is not UTF-8'))
        else if (entry.isDirectory()) folders.push(path)
        else {
          const earlierFile = earlier?.files.get(path)
          const most = { perFile: limits.fileBytes, left: limits.totalBytes - bytes }
          const walked = await walkFile(root, path, earlierFile, most)
          if (walked === null) continue
          files.set(path, walked)
          if (walked !== earlierFile && walked.hash !== null) bytes += walked.size
        }
      }
    } finally {
      opened.closeSync()
    }
  }
  return { files, cut: null }
}

const DEFAULT_LIMITS = { entries: 100_000, fileBytes: 67_108_864, totalBytes: 1_073_741_824, deadlineMs: 30_000 }
const ENTRIES_PER_TURN = 128
const MAX_DEPTH = 256

async function walkFile(
  root: string,
  path: string,
  earlier: WalkedFile | undefined,
  bytes: { readonly perFile: number; readonly left: number },
): Promise<WalkedFile | null> {
  const found = lstat(join(root, path))
  if (found === null) return null
  if (typeof found === 'string') return unread('hidden', found)
  const stamp = stampOf(found)
  if (earlier?.stamp === stamp && earlier.isProof) return earlier
  if (!found.isFile()) return unread('other', describeKind(found), stamp)
  const size = Number(found.size)
  if (size > bytes.perFile) return unread('unread', `is larger than ${mebibytes(bytes.perFile)}`, stamp, size)
  if (size > bytes.left) return unread('unread', 'is beyond the limit for one workspace', stamp, size)
  const opened = openWorkspaceFile(root, path, { manyNames: true })
  if (!opened.ok) return opened.code === 'ENOENT' ? null : unread('unread', opened.reason, stamp, size)
  try {
    const { stat } = opened
    const read = await hashOpenFile(opened.fd, bytes.perFile)
    return { ...read, stamp: stampOf(stat), isProof: isProof(stat), unread: null }
  } catch (error) {
    return unread('unread', `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'EIO'})`, stamp, size)
  } finally {
    closeSync(opened.fd)
  }
}

function openFolder(root: string, folder: string): Dir | string {
  if (folder.split('/').length > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} folders`
  try {
    return opendirSync(join(root, folder), { bufferSize: 256 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENAMETOOLONG') return 'has a path longer than the system allows'
    return code === 'EACCES' || code === 'EPERM' ? 'may not be opened' : `cannot be opened (${code ?? 'EIO'})`
  }
}

function lstat(file: string): BigIntStats | string | null {
  try {
    return lstatSync(file, { bigint: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    return code === 'ENAMETOOLONG' ? 'has a path longer than the system allows' : `cannot be read (${code ?? 'EIO'})`
  }
}

function unread(kind: UnreadFile['kind'], reason: string, stamp = '', size = 0): WalkedFile {
  return { stamp, isProof: false, size, hash: null, unread: { kind, reason } }
}

function stampOf(stat: BigIntStats): string {
  return `${stat.mode}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`
}

/**
 * The change time cannot be set by a program, but it has a grain: a write within the same grain as the look would
 * not show. So it proves nothing for a file that changed a moment ago, nor where it is counted in whole milliseconds.
 */
function isProof(stat: BigIntStats): boolean {
  const age = BigInt(Date.now()) * 1_000_000n - stat.ctimeNs
  return process.platform !== 'win32' && stat.ctimeNs % 1_000_000n !== 0n && age > CLOCK_GRAIN
}

const CLOCK_GRAIN = 20_000_000n

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`
}
