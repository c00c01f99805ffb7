import { isUtf8 } from 'node:buffer'
import { closeSync, lstatSync, type Dirent, type Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { messageOf } from '../errors.ts'
import { openRegular, readUpTo, type NotOpened } from '../regular-file.ts'
import { TOP, errorIn, type Issue, type Position } from './document.ts'
import { MAX_DOCUMENT_BYTES } from './read-json.ts'

/** A file's text, or why there is none. */
export type ReadText = { readonly text: string; readonly issue: null } | { readonly text: null; readonly issue: Issue }

/** Reads a regular file of valid UTF-8. Never follows a link, never hangs on a pipe, never throws. */
export async function readText(file: string, maxBytes: number = MAX_DOCUMENT_BYTES): Promise<ReadText> {
  const opened = openRegular(file)
  if (!opened.ok) return refuse(file, ...wordRefusal(opened))
  const { fd, stat } = opened
  // At once: each of the thousands of small files of a large repository would cost five turns of the event loop.
  try {
    if (stat.size > maxBytes) return refuse(file, 'file-too-large', `the file is larger than ${maxBytes / 1024} KiB`)
    return decodeText(readUpTo(fd, Number(stat.size)), file)
  } catch (error) {
    return refuse(file, 'file-unreadable', `the file cannot be read (${messageOf(error)})`)
  } finally {
    closeSync(fd)
  }
}

/** Decodes UTF-8 strictly: a wrong byte is an issue at its line, never a replacement character. */
export function decodeText(bytes: Uint8Array, file: string): ReadText {
  if (isUtf8(bytes)) return { text: new TextDecoder().decode(bytes), issue: null }
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  const message = `not valid UTF-8${isUtf16 ? ', but UTF-16' : ''}; save the file as UTF-8`
  return refuse(file, 'not-utf-8', message, isUtf16 ? TOP : placeOfWrongByte(bytes))
}

// A line break is never part of a longer character, so the first line that is not valid is the wrong one.
function placeOfWrongByte(bytes: Uint8Array): Position {
  let line = 1
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start)
    const stop = end === -1 ? bytes.length : end
    const part = bytes.subarray(start, stop)
    if (!isUtf8(part)) return { line, column: charactersBefore(part) + 1 }
    start = stop + 1
  }

  return TOP
}

// What cannot be decoded becomes U+FFFD, the first time at the wrong byte.
function charactersBefore(bytes: Uint8Array): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return Math.max(0, text.indexOf('\uFFFD'))
}

function refuse(file: string, code: string, message: string, at?: Position): ReadText {
  return { text: null, issue: errorIn(file, code, message, at) }
}

type FileKind = Pick<Stats, 'isDirectory' | 'isFIFO' | 'isFile' | 'isSocket' | 'isSymbolicLink'>

/** What a path is when it is not a regular file, in words; `null` for a regular file. */
export function describeKind(stats: FileKind): string | null {
  if (stats.isFile()) return null
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a named pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
}

function wordRefusal({ code, reason }: NotOpened): [code: string, message: string] {
  if (code === 'ENOENT' || code === 'ENOTDIR') return ['file-missing', 'the file does not exist']
  if (code === 'EACCES' || code === 'EPERM')
    return ['file-unreadable', 'the file cannot be read; check its permissions']
  return reason.startsWith('is ')
    ? ['not-a-file', `${reason}, not a regular file`]
    : ['file-unreadable', `the file ${reason}`]
}

/** An entry of a folder. */
export type FsEntry = Pick<Dirent, 'name'> & FileKind

/** The file system as a loader sees it. Remembers what it was asked, so that its answer can be kept while nothing changed. */
export interface TrackedFs {
  /** Reads a regular file of valid UTF-8. */
  readonly readText: (file: string, maxBytes?: number) => Promise<ReadText>
  /** Entries of a folder by name; empty when there is no such folder. */
  readonly list: (folder: string) => Promise<readonly FsEntry[]>
  /** The entry at a path, links not followed; `null` for none. */
  readonly look: (path: string) => Stats | null
  /** The path without links, as far as they are followed. */
  readonly realOf: (path: string) => string
  /** Whether everything that was looked at is still as it was. */
  readonly isUnchanged: () => boolean
}

/** Creates a disk that has not been looked at. */
export function openTrackedFs(): TrackedFs {
  const stamps = new Map<string, string>()
  const look = (path: string): Stats | null => {
    const stats = tryLstat(path)
    if (!stamps.has(path)) stamps.set(path, stampOf(stats))
    return stats
  }

  return {
    look,
    realOf: (path) => path,
    readText(file, maxBytes) {
      look(file)
      return readText(file, maxBytes)
    },
    async list(folder) {
      // `readdir` would follow a link out of the package.
      if (look(folder)?.isDirectory() !== true) return []
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    },
    isUnchanged: () => [...stamps].every(([path, stamp]) => stampOf(tryLstat(path)) === stamp),
  }
}

function tryLstat(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

function stampOf(stats: Stats | null): string {
  return stats === null ? 'absent' : `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`
}
