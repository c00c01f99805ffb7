import { basename, join } from 'node:path'
import { errorAt, type Issue, type ReadDocument } from '../lib/documents/document.ts'
import { readDocument } from '../lib/documents/read-document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { checkRelativePath, normalizeRelativePath } from '../lib/documents/relative-path.ts'

/** Reads a data file of a package. There is no document where there is no file, and an issue where it is not readable. */
export async function readData(
  file: string,
  what: string,
  fs: TrackedFs,
): Promise<{ readonly document: ReadDocument | null; readonly issues: readonly Issue[] }> {
  if (fs.look(file) === null) return { document: null, issues: [] }
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return { document: null, issues: [issue] }
  const document = readDocument(text, { kind: file.endsWith('.json') ? 'json' : 'yaml', file, what })
  return { document, issues: [] }
}

/** Reads a path below a folder from a document; `null` with the issue for one that leaves the folder or leads nowhere. */
export function readPath(
  folder: string,
  written: ReadDocument,
  fs: TrackedFs,
): { readonly path: string | null; readonly issues: readonly Issue[] } {
  const value = String(written.value)
  const problem = checkRelativePath(value)
  if (problem !== null) return { path: null, issues: [errorAt(written, [], 'unsafe-path', `the path ${problem}`)] }
  const path = join(folder, normalizeRelativePath(value))
  if (fs.look(path) !== null) return { path, issues: [] }
  return { path: null, issues: [errorAt(written, [], 'file-missing', `${value} does not exist`)] }
}

/** A file below a folder. */
export interface FileBelow {
  readonly file: string
  readonly name: string
  /** Folders between the folder and the file. */
  readonly below: readonly string[]
}

/** The files at a path and in the folders below it, without what is hidden. */
export async function filesBelow(
  path: string,
  fs: TrackedFs,
  below: readonly string[] = [],
): Promise<readonly FileBelow[]> {
  if (fs.look(path)?.isFile() === true) return [{ file: path, name: basename(path), below }]
  if (below.length > MAX_LEVELS) return []
  const entries = (await fs.list(path)).filter(({ name }) => !name.startsWith('.'))
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly FileBelow[]> => {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) return filesBelow(inner, fs, [...below, entry.name])
      return entry.isFile() ? [{ file: inner, name: entry.name, below }] : []
    }),
  )
  return found.flat()
}

const MAX_LEVELS = 8
