import { relative } from 'node:path'
import { fixtureFiles, fixtureRoot } from '../../inputs/fixture-files.ts'
import { readWorkspaceFile } from '../../workspace/read-file.ts'
import type { EvidenceText } from '../../judges/evidence/evidence-text.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { FileChanges } from '../../transcript/agent-run.ts'

/** The case whose workspace is looked at. */
export interface BeforeTextsRequest {
  readonly suite: Pick<Suite, 'file' | 'packageRoot' | 'skill'>
  readonly evalCase: Pick<EvalCase, 'files' | 'overlays' | 'workspaceFiles'>
}

/** The text of a file before a run. */
export interface BeforeText {
  readonly path: string
  readonly text: string
}

/** As {@link readBefore}, as evidence: an edit is judged by what it has left as it was. */
export async function readBeforeTexts(
  request: BeforeTextsRequest,
  changes: Pick<FileChanges, 'deleted' | 'modified'>,
): Promise<readonly EvidenceText[]> {
  const originals = await readBefore(request, changes)
  return originals.map(({ path, text }) => ({ name: `${path} (before the run)`, text }))
}

/** Reads what the files that a run modified or deleted held before. */
export async function readBefore(
  { suite, evalCase }: BeforeTextsRequest,
  { modified, deleted }: Pick<FileChanges, 'deleted' | 'modified'>,
): Promise<readonly BeforeText[]> {
  const paths = [...modified.map(({ path }) => path), ...deleted].slice(0, MOST_FILES)
  if (paths.length === 0) return []
  const declaration = { packageRoot: fixtureRoot(suite, suite.packageRoot), caseFile: suite.file }
  const named = evalCase.workspaceFiles.flatMap(({ from, to, at }) => (from === null ? [] : [{ from, to, at }]))
  const copies = fixtureFiles([...evalCase.files, ...named], declaration)
  const folders = [
    ...(evalCase.overlays ?? []).toReversed(),
    ...(suite.skill === undefined ? [] : [suite.skill.projectRoot]),
  ]
  const texts: BeforeText[] = []
  for (const path of paths) {
    const written = evalCase.workspaceFiles.find(({ to, from }) => to === path && from === null)
    const copy = copies.find(({ to }) => to === path)
    const text =
      written?.content ??
      (copy === undefined
        ? await readFirst(folders, path)
        : await readText(declaration.packageRoot, relative(declaration.packageRoot, copy.file)))
    if (text !== null) texts.push({ path, text })
  }
  return texts
}

const MOST_FILES = 50
const MOST_BYTES = 256 * 1024

async function readFirst(folders: readonly string[], path: string): Promise<string | null> {
  for (const folder of folders) {
    const text = await readText(folder, path)
    if (text !== null) return text
  }
  return null
}

async function readText(root: string, path: string): Promise<string | null> {
  const found = await readWorkspaceFile(root, path, MOST_BYTES)
  return found.status === 'read' && !found.bytes.includes(0) ? found.bytes.toString('utf8') : null
}
