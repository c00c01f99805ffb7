import { relative } from 'node:path'
import type { RunScript } from '../../checks/check.ts'
import { NO_CHECK_SEEN, observeChecks, type SeenChecks } from '../../checks/checks.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { readChangedTexts, type EvidenceText } from '../../judges/evidence/evidence-item.ts'
import type { StatementFinding } from '../../judges/known-kinds.ts'
import { readWorkspaceFile } from '../../lib/workspace-file.ts'
import { fixtureFiles, fixtureRoot } from '../../session/inputs/fixture-files.ts'
import type { AgentRun, FileChanges } from '../../transcript/transcript.ts'
import { decideStatements, readIn } from './decide-statements.ts'

/** What is kept of a workspace for checks and judge before it is removed. */
export interface SeenWorkspace {
  /** Texts that the run created or modified, and what these held before. */
  readonly files: readonly EvidenceText[]
  /** What it shows of declared checks. */
  readonly checks: SeenChecks
  /** One for each listed statement: what a check has decided, `null` where the judge has to. */
  readonly decided: readonly (StatementFinding | null)[]
}

/** A workspace of which nothing is known. */
export const NOTHING_SEEN: SeenWorkspace = { files: [], checks: NO_CHECK_SEEN, decided: [] }

/** Looks at the workspace of a finished run; `root` is its absolute path. */
export async function inspectWorkspace(
  request: BeforeTextsRequest & { readonly evalCase: Pick<EvalCase, 'checks' | 'criteria' | 'target'> },
  run: AgentRun,
  root: string,
  runScript: RunScript,
): Promise<SeenWorkspace> {
  const statements = request.evalCase.criteria?.statements
  const files = await readChangedTexts(root, run.files)
  const { checks: declared, target } = request.evalCase
  const decided = statements === undefined ? [] : await decideStatements(statements, run, readIn(root))
  const originals = statements === undefined ? [] : await readBeforeTexts(request, run.files)
  // Last: a script may change what it looks at where no sandbox keeps it from that.
  const checks = await observeChecks(declared, run, target, readIn(root), runScript)
  return { files: [...files, ...originals], checks, decided }
}

/** The case whose workspace is looked at. */
interface BeforeTextsRequest {
  readonly suite: Pick<Suite, 'file' | 'packageRoot' | 'skill'>
  readonly evalCase: Pick<EvalCase, 'files' | 'overlays' | 'workspaceFiles'>
}

/** The text of a file before a run. */
interface BeforeText {
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
