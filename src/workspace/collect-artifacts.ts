import { createHash } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openWorkspaceFile } from './open-workspace-file.ts'
import type { ChangedFile, FileChanges } from '../transcript/agent-run.ts'

/** Which files are kept, and how many. */
export interface ArtifactsRequest {
  /** Absolute path of the workspace. */
  readonly root: string
  readonly changes: Pick<FileChanges, 'created' | 'modified'>
  /** Absolute path of the folder that gets the copies; made when there is something to copy. */
  readonly to: string
  readonly limits?: ArtifactLimits
}

/** How much is kept of one run. */
export interface ArtifactLimits {
  /** @default 500 */
  readonly files?: number
  /** Bytes of one file. @default 16 MiB */
  readonly fileBytes?: number
  /** @default 64 MiB */
  readonly totalBytes?: number
}

/** What was kept. */
export interface Artifacts {
  readonly copied: readonly {
    /** Path in the workspace. */
    readonly path: string
    /** Path below the artifacts' folder. */
    readonly to: string
  }[]
  readonly left: readonly { readonly path: string; readonly reason: string }[]
}

/** Keeps copies of what a run created and modified, as plain files that nothing executes or reads as its own. */
export async function collectArtifacts(request: ArtifactsRequest): Promise<Artifacts> {
  const limits = { ...DEFAULT_LIMITS, ...request.limits }
  const copied: { path: string; to: string }[] = []
  const left: { path: string; reason: string }[] = []
  let bytes = 0
  for (const file of [...request.changes.created, ...request.changes.modified]) {
    const { path } = file
    const reason = tooMuch(file, limits, copied.length, bytes) ?? copyFile(request, file)
    if (reason !== null) {
      left.push({ path, reason })
      continue
    }
    copied.push({ path, to: artifactPath(path) })
    bytes += file.size
    if (copied.length % FILES_PER_TURN === 0) await nextTurn()
  }
  return { copied, left }
}

const DEFAULT_LIMITS = { files: 500, fileBytes: 16_777_216, totalBytes: 67_108_864 }
const FILES_PER_TURN = 32

function tooMuch(file: ChangedFile, limits: Required<ArtifactLimits>, count: number, bytes: number): string | null {
  if (isOfGit(file.path)) return 'is part of a git repository, whose hooks would run here'
  if (count >= limits.files) return `comes after ${limits.files} others`
  if (file.size > limits.fileBytes) return `is larger than ${limits.fileBytes} bytes`
  return bytes + file.size > limits.totalBytes ? `comes after ${limits.totalBytes} bytes of others` : null
}

/** Whether a file is one of a git repository's own, which are no artifacts. */
export function isOfGit(path: string): boolean {
  return path.toLowerCase().split('/').includes('.git')
}

/** Path of the copy below the artifacts folder: control characters are encoded, and a percent sign marks them. */
export function artifactPath(path: string): string {
  return path.replaceAll(
    /[%\p{Cc}]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

function copyFile(request: ArtifactsRequest, file: ChangedFile): string | null {
  const opened = openWorkspaceFile(request.root, file.path)
  if (!opened.ok) return opened.reason
  const to = join(request.to, artifactPath(file.path))
  try {
    mkdirSync(dirname(to), { recursive: true })
    if (copyBytes(opened.fd, to, file.size) === file.hash) return null
    rmSync(to)
    return 'changed after the run had ended'
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return 'has the name of another file'
    rmSync(to, { force: true })
    return `could not be copied: ${message}`
  } finally {
    closeSync(opened.fd)
  }
}

function copyBytes(from: number, to: string, size: number): string {
  const target = openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644)
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(65_536)
  try {
    for (let position = 0; position < size;) {
      const count = readSync(from, chunk, 0, Math.min(chunk.length, size - position), position)
      if (count === 0) break
      hash.update(chunk.subarray(0, count))
      writeFileSync(target, chunk.subarray(0, count))
      position += count
    }
    return hash.digest('hex')
  } finally {
    closeSync(target)
  }
}
