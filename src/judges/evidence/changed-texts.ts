import { readWorkspaceFile } from '../../workspace/read-file.ts'
import type { FileChanges } from '../../transcript/agent-run.ts'
import type { EvidenceText } from './evidence-text.ts'

/**
 * Reads the texts that a run created or modified, as evidence for a judge. Modified ones first: dependencies and generated
 * code may be created by the thousand. `root` is the workspace, or a folder where its files have other names.
 */
export async function readChangedTexts(
  root: string,
  { created, modified }: Pick<FileChanges, 'created' | 'modified'>,
  nameOf: (path: string) => string | null = (path) => path,
): Promise<readonly EvidenceText[]> {
  const texts: EvidenceText[] = []
  let left = MOST_BYTES
  for (const { path } of [...modified, ...created].slice(0, MOST_FILES)) {
    if (left <= 0) break
    const name = nameOf(path)
    if (name === null) continue
    const read = await readWorkspaceFile(root, name, Math.min(left, MOST_BYTES_OF_ONE))
    if (read.status !== 'read' || isBinary(read.bytes)) continue
    left -= read.bytes.length
    texts.push({ name: path, text: read.bytes.toString('utf8') })
  }
  return texts
}

const MOST_FILES = 200
const MOST_BYTES = 8 * 1024 ** 2
const MOST_BYTES_OF_ONE = 1024 ** 2

// A null byte is in no text and in almost every other file.
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8192).includes(0)
}
