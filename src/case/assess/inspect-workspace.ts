import { relative, dirname, join } from 'node:path'
import type { RunScript } from '../../checks/check.ts'
import { NO_CHECK_SEEN, observeChecks, type SeenChecks, type DeclaredCheck } from '../../checks/checks.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { readChangedTexts, type EvidenceText } from '../../judges/evidence/evidence-item.ts'
import type { StatementFinding } from '../../judges/known-kinds.ts'
import { readWorkspaceFile } from '../../lib/workspace-file.ts'
import { fixtureFiles, fixtureRoot, type NamedFile } from '../../session/inputs/fixture-files.ts'
import type { AgentRun, FileChanges } from '../../transcript/transcript.ts'
import { decideStatements, readIn } from './decide-statements.ts'
import { renameSync, rmdirSync } from 'node:fs'
import { messageOf } from '../../lib/errors.ts'
import type { AgentRequest } from '../../session/agent-request.ts'
import { missingScript } from '../free-tests/script.ts'
import { scriptCommand } from '../../sandbox/decide.ts'
import { runSandboxed } from '../../sandbox/run.ts'
import { createWorkspace } from '../../session/workspace.ts'
import { copyInto } from '../../session/stage-base.ts'
import type { ScriptEnd, ScriptFields } from '../../checks/script.ts'

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

/** The files that the scripts of a case need. */
export function scriptFiles(checks: readonly DeclaredCheck[]): readonly NamedFile[] {
  return checks.flatMap((check) =>
    check.kind === 'script' ? check.files.map((to) => ({ from: join(check.folder, to), to, at: check.at })) : [],
  )
}

/**
 * Runs a script of a check in a sandbox of its own without a network: home and temporary folder are new, its files are
 * read-only copies, and the agent's workspace is lent to it, read-only where the sandbox enforces that. What the agent
 * has planted beside its workspace is not there.
 */
export async function runCheckScript(
  request: Pick<AgentRequest, 'sandbox' | 'signal' | 'suite'>,
  { value: run, files, folder, timeout }: ScriptFields,
  workspace: string,
  { transcript }: Pick<AgentRun, 'transcript'>,
): Promise<ScriptEnd> {
  await using place = createWorkspace()
  const named = files.map((to) => ({ from: join(folder, to), to, at: { line: 1, column: 1 } }))
  const declaration = { packageRoot: dirname(folder), caseFile: request.suite.file }
  for (const file of fixtureFiles(named, declaration)) copyInto(place.package, file.to, file)
  rmdirSync(place.workspace)
  renameSync(workspace, place.workspace)
  try {
    const command = scriptCommand(request.sandbox, place.root, (inside) => ({
      arguments: ['-c', 'cd "$0" && exec /bin/bash -c "$1"', inside.package, run],
      env: { WORKSPACE: inside.workspace },
      writablePaths: [],
    }))
    const stdin = JSON.stringify(transcript)
    const result = await runSandboxed(command, { deadlineMs: timeout * 1000, signal: request.signal, stdin })
    const missing = result.exitCode === 0 ? null : missingScript(run, place.package, command.env)
    const { exitCode, stdoutTail: stdout, stderrTail: stderr } = result
    const problem =
      (result.spawnError === null ? null : `did not start: ${result.spawnError.message}`) ??
      (result.setupError === null ? null : `did not start: the sandbox says ${result.setupError}`) ??
      (result.resourceLimit === null ? null : `was stopped: ${result.resourceLimit}`) ??
      (result.aborted ? 'was cancelled' : null) ??
      (result.timedOut ? `took longer than ${timeout} s` : null) ??
      (missing === null ? null : `names ${missing}, which is none of its files`) ??
      (stdout.length + stderr.length >= MOST_PRINTED ? 'printed more than 1 MiB' : null)
    return { exitCode, stdout, stderr: problem === null ? stderr : '', problem }
  } catch (error) {
    return { exitCode: null, stdout: '', stderr: '', problem: `did not start: ${messageOf(error)}` }
  } finally {
    renameSync(place.workspace, workspace)
  }
}

const MOST_PRINTED = 1024 ** 2
