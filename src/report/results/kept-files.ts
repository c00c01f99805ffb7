import { isUtf8 } from 'node:buffer'
import { closeSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Redactor } from '../../gateway/redact.ts'
import { messageOf } from '../../lib/errors.ts'
import { codeOf, replaceFile, tryReadText } from '../../lib/files.ts'
import { formatJson, isJsonObject, tryParseJson, type JsonValue } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { readUpTo } from '../../lib/regular-file.ts'
import { openWorkspaceFile } from '../../lib/workspace-file.ts'
import type { ChangedFile, FileChanges } from '../../transcript/transcript.ts'

/**
 * A file of a workspace as it is stored: under the hash of its content, without an extension. A name that a session
 * chose, such as `output/a.test.ts` or `HEAD`, would make other programs execute or obey what lies there.
 */
export interface KeptFile {
  /** Path in the workspace. */
  readonly path: string
  readonly when: 'after' | 'before'
  /** Name in the folder. */
  readonly name: string
  /** By its first bytes, since its name is the session's choice. */
  readonly type: string
}

/** Which files are kept, and how many. */
export interface KeepRequest {
  /** Absolute path of the workspace. */
  readonly root: string
  readonly changes: Pick<FileChanges, 'created' | 'modified'>
  /** Absolute path of the folder that gets the copies; made when there is something to copy. */
  readonly to: string
  readonly redactor: Pick<Redactor, 'text'>
  readonly limits?: KeepLimits
}

/** How much is kept of one run. */
export interface KeepLimits {
  /** @default 500 */
  readonly files?: number
  /** Bytes of one file. @default 16 MiB */
  readonly fileBytes?: number
  /** @default 64 MiB */
  readonly totalBytes?: number
}

/** A file that was not kept. */
export interface LeftFile {
  readonly path: string
  readonly reason: string
}

/** Keeps what a run created and modified, without secrets. Returns what was left; files of a git folder are not named. */
export async function keepChangedFiles(request: KeepRequest): Promise<readonly LeftFile[]> {
  const limits = { ...DEFAULT_LIMITS, ...request.limits }
  const kept: KeptFile[] = []
  const left: LeftFile[] = []
  let bytes = 0
  for (const file of [...request.changes.created, ...request.changes.modified]) {
    const { path } = file
    // What Git keeps for itself is nothing that the agent wrote.
    if (path.toLowerCase().split('/').includes('.git')) continue
    const stored = tooMuch(file, limits, kept.length, bytes) ?? keepFile(request, file)
    if (typeof stored === 'string') {
      left.push({ path, reason: stored })
      continue
    }
    kept.push(stored)
    bytes += file.size
    if (kept.length % FILES_PER_TURN === 0) await nextTurn()
  }
  try {
    addToIndex(request.to, kept)
    return left
  } catch (error) {
    const reason = notCopied(error)
    return [...left, ...kept.map(({ path }) => ({ path, reason }))]
  }
}

/** Keeps what files held before a run. */
export function keepTextsBefore(
  to: string,
  texts: readonly { readonly path: string; readonly text: string }[],
  redactor: Pick<Redactor, 'text'>,
): void {
  addToIndex(
    to,
    texts.map(({ path, text }) => store(to, path, Buffer.from(text), 'before', redactor)),
  )
}

/** The files that an index names; none where it is missing or no index. */
export function parseIndex(text: string | null): readonly KeptFile[] {
  const index = tryParseJson(text ?? '')
  const files = isJsonObject(index) && index['version'] === 1 ? index['files'] : []
  return Array.isArray(files) ? files.filter(isKeptFile) : []
}

// A run folder may come from another machine.
function isKeptFile(value: JsonValue | KeptFile): value is KeptFile {
  if (!isJsonObject(value)) return false
  const { path, when, name, type } = value
  const isStored = typeof name === 'string' && /^[0-9a-f]{64}$/.test(name)
  return isStored && typeof path === 'string' && typeof type === 'string' && (when === 'after' || when === 'before')
}

/** The files that a folder has kept. */
export function readIndex(folder: string): readonly KeptFile[] {
  return parseIndex(tryReadText(join(folder, INDEX)))
}

/** Copies the kept files of a folder into another. */
export function copyKept(from: string, to: string, files: readonly KeptFile[]): void {
  mkdirSync(to, { recursive: true })
  for (const { name } of files) copyFileSync(join(from, name), join(to, name))
  addToIndex(to, files)
}

/** The type of a picture by its first bytes; `undefined` when they are of none. */
export function imageTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 16).toString('latin1')
  return IMAGES.find(([pattern]) => pattern.test(start))?.[1]
}

/** Name of the file that says which content is whose. */
export const INDEX = 'index.json'

const DEFAULT_LIMITS = { files: 500, fileBytes: 16_777_216, totalBytes: 67_108_864 }
const FILES_PER_TURN = 32

function tooMuch(file: ChangedFile, limits: Required<KeepLimits>, count: number, bytes: number): string | null {
  if (count >= limits.files) return `comes after ${limits.files} others`
  if (file.size > limits.fileBytes) return `is larger than ${limits.fileBytes} bytes`
  return bytes + file.size > limits.totalBytes ? `comes after ${limits.totalBytes} bytes of others` : null
}

function keepFile({ root, to, redactor }: KeepRequest, { path, size, hash }: ChangedFile): KeptFile | string {
  const opened = openWorkspaceFile(root, path)
  if (!opened.ok) return opened.reason
  try {
    const bytes = readUpTo(opened.fd, size)
    return hash === null || sha256(bytes) === hash
      ? store(to, path, bytes, 'after', redactor)
      : 'changed after the run had ended'
  } catch (error) {
    return notCopied(error)
  } finally {
    closeSync(opened.fd)
  }
}

function notCopied(error: unknown): string {
  return `could not be copied: ${messageOf(error)}`
}

function store(
  folder: string,
  path: string,
  content: Buffer,
  when: KeptFile['when'],
  redactor: Pick<Redactor, 'text'>,
): KeptFile {
  const bytes = isUtf8(content) ? Buffer.from(redactor.text(content.toString())) : content
  const name = sha256(bytes)
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(join(folder, name), bytes, { flag: 'wx', mode: 0o644 })
  } catch (error) {
    // The same content once more.
    if (codeOf(error) !== 'EEXIST') {
      // A full disk has taken a part of it, whose room the rest of the run needs.
      rmSync(join(folder, name), { force: true })
      throw error
    }
  }
  return { path: redactor.text(path), when, name, type: typeOf(bytes) }
}

function addToIndex(folder: string, files: readonly KeptFile[]): void {
  if (files.length === 0) return
  replaceFile(join(folder, INDEX), formatJson({ version: 1, files: [...readIndex(folder), ...files] }))
}

function typeOf(bytes: Buffer): string {
  return imageTypeOf(bytes) ?? (isUtf8(bytes) && !bytes.includes(0) ? 'text/plain' : 'application/octet-stream')
}

const IMAGES: readonly (readonly [RegExp, string])[] = [
  [/^\u0089PNG\r\n/, 'image/png'],
  [/^\u00FF\u00D8\u00FF/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
]
