import { closeSync, existsSync, readSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { openWorkspaceFile } from '../../workspace/open-workspace-file.ts'

/** Where the evidence of runs is looked for: absolute paths of folders that hold run folders. */
export type EvidencePlaces = readonly string[]

/** A folder of the evidence of one run of a case. */
export interface EvidenceFolder {
  /** Reads a file below it; `null` when it is missing, or nothing that is safe to read. */
  readonly read: (path: string, mostBytes: number) => StoredFile | null
}

/** A file as far as it was read. */
export interface StoredFile {
  readonly bytes: Buffer
  /** Bytes of the complete file. */
  readonly size: number
}

/** Finds the folder that a report names, such as `.vitest/agent-evals/<run>/cases/...`; `null` when it is missing. */
export function findEvidence(folder: string | null, places: EvidencePlaces): EvidenceFolder | null {
  const [, run = '', below = ''] = /(?:^|\/)\.vitest\/agent-evals\/([^/]+)\/(.+)$/.exec(folder ?? '') ?? []
  // A report may come from anywhere: it must not name files outside of the run folders.
  if (run === '' || [run, ...below.split('/')].some((name) => name === '..' || name === '.' || name === '')) return null
  const found = places.map((place) => join(place, run)).find((path) => existsSync(join(path, below)))
  if (found === undefined) return null
  const root = realpathSync(found)
  return { read: (path, mostBytes) => readFile(root, `${below}/${path}`, mostBytes) }
}

function readFile(root: string, path: string, mostBytes: number): StoredFile | null {
  const opened = openWorkspaceFile(root, path)
  if (!opened.ok) return null
  try {
    const size = Number(opened.stat.size)
    const bytes = Buffer.alloc(Math.min(size, mostBytes))
    let filled = 0
    while (filled < bytes.length) {
      const length = readSync(opened.fd, bytes, filled, bytes.length - filled, filled)
      if (length === 0) break
      filled += length
    }
    return { bytes: bytes.subarray(0, filled), size }
  } catch {
    return null
  } finally {
    closeSync(opened.fd)
  }
}
