import { randomUUID } from 'node:crypto'
import { basename, dirname, join, normalize, posix, relative } from 'node:path'
import type { RunScript, SeenFile } from '../../checks/check.ts'
import { NO_CHECK_SEEN, observeChecks, type SeenChecks, type DeclaredCheck } from '../../checks/checks.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { readChangedTexts, type EvidenceText } from '../../judges/evidence/evidence-item.ts'
import { readWorkspaceFile } from '../../lib/workspace-file.ts'
import { filesOfCase, fixtureFiles, fixtureRoot, type NamedFile } from '../../session/inputs/named-files.ts'
import type { AgentRun, FileChanges } from '../../transcript/transcript.ts'
import {
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { messageOf } from '../../lib/errors.ts'
import type { AgentRequest } from '../../session/agent-request.ts'
import { missingScript } from '../free-tests/missing-script.ts'
import { scriptCommand } from '../../sandbox/decide.ts'
import { runSandboxed } from '../../sandbox/run.ts'
import { createWorkspace } from '../../session/workspace.ts'
import { copyInto } from '../../session/stage-base.ts'
import type { ScriptEnd, ScriptFields } from '../../checks/check.ts'

/** What is kept of a workspace for checks and judge before it is removed. */
export interface SeenWorkspace {
  /** Texts that the run created or modified, and what these held before. */
  readonly files: readonly EvidenceText[]
  /** What it shows of declared checks. */
  readonly checks: SeenChecks
}

/** A workspace of which nothing is known. */
export const NOTHING_SEEN: SeenWorkspace = { files: [], checks: NO_CHECK_SEEN }

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
  const originals = statements === undefined ? [] : await readBeforeTexts(request, run.files)
  // Last: a script may change what it looks at where no sandbox keeps it from that.
  const checks = await observeChecks(declared, run, target, readIn(root), runScript)
  return { files: [...files, ...originals], checks }
}

/** Reads files of a workspace for checks. */
export function readIn(root: string): (path: string) => Promise<SeenFile> {
  return async (path) => {
    const found = await readWorkspaceFile(root, path, MOST_BYTES_OF_CHECK)
    if (found.status === 'missing') return 'missing'
    if (found.status === 'unreadable') return found.isFile === true ? { text: null } : 'unknown'
    const isText = !found.truncated && !found.bytes.includes(0)
    return { text: isText ? found.bytes.toString('utf8') : null }
  }
}

const MOST_BYTES_OF_CHECK = 4 * 1024 ** 2

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
  const copies = fixtureFiles(filesOfCase(evalCase), declaration)
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
 * read-only copies in a folder that no path of the workspace names, and the agent's workspace is lent to it, read-only where
 * the sandbox enforces that. What the agent has planted beside its workspace is not there, and its links do not lead out.
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
  const id = randomUUID()
  for (const file of fixtureFiles(named, declaration)) copyInto(join(place.package, id), file.to, file)
  rmdirSync(place.workspace)
  renameSync(workspace, place.workspace)
  try {
    const names = [workspace]
    const command = scriptCommand(request.sandbox, place.root, (inside) => {
      names.push(inside.workspace)
      return {
        arguments: ['-c', 'cd "$0" && exec /bin/bash -c "$1"', posix.join(inside.package, id), run],
        env: { WORKSPACE: inside.workspace },
        writablePaths: [],
      }
    })
    const options = { deadlineMs: timeout * 1000, signal: request.signal, stdin: JSON.stringify(transcript) }
    const result = await withClosedLinks(place.workspace, names, () => runSandboxed(command, options))
    const missing = result.exitCode === 0 ? null : missingScript(run, join(place.package, id), command.env)
    const { exitCode } = result
    // The folder has another name each time, and what is printed stays comparable.
    const folderName = new RegExp(`[^\\s"'()]*${id}/`, 'g')
    const stdout = result.stdoutTail.replaceAll(folderName, '')
    const stderr = result.stderrTail.replaceAll(folderName, '')
    const problem =
      (result.spawnError === null ? null : `did not start: ${result.spawnError.message}`) ??
      (result.setupError === null ? null : `did not start: the sandbox says ${result.setupError}`) ??
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

/**
 * Runs something for which every link of a workspace that leads out of it leads nowhere, unless it leads to a program, as
 * those of a virtual environment do. Links that name the workspace by one of `names` lead to the same place in `root`.
 */
export async function withClosedLinks<Result>(
  root: string,
  names: readonly string[],
  run: () => Promise<Result>,
): Promise<Result> {
  const changed: (readonly [file: Buffer, before: Buffer])[] = []
  const change = (file: Buffer, target: Buffer): void => {
    changed.push([file, readlinkSync(file, { encoding: 'buffer' })])
    unlinkSync(file)
    symlinkSync(target, file)
  }
  try {
    const links = linksBelow(Buffer.from(root))
    for (const file of links) {
      const target = otherTarget(root, names, file)
      if (target !== null) change(file, target)
    }
    // The other links decide where a relative link leads.
    for (const file of links) if (!staysInside(root, file)) change(file, NOWHERE)
    return await run()
  } finally {
    for (const [file, before] of changed.toReversed()) restore(file, before)
  }
}

/** The target that replaces that of an absolute link; `null` where it stays as it is. */
function otherTarget(root: string, names: readonly string[], file: Buffer): Buffer | null {
  const target = readlinkSync(file, { encoding: 'buffer' })
  const text = target.toString()
  const name = names.find((one) => text === one || text.startsWith(`${one}/`))
  if (name === undefined) return text.startsWith('/') && !isProgram(text) ? NOWHERE : null
  const above = file.subarray(Buffer.byteLength(root) + 1).filter((byte) => byte === SLASH).length
  return Buffer.concat([Buffer.from(`./${'../'.repeat(above)}.`), target.subarray(Buffer.byteLength(name))])
}

function restore(file: Buffer, before: Buffer): void {
  try {
    unlinkSync(file)
  } catch {
    // Without a sandbox, a script may have removed it with its folder.
    return
  }
  symlinkSync(before, file)
}

const SLASH = 47
const NOWHERE = Buffer.from('/nonexistent/leads-out-of-the-workspace')

// Names are bytes: one that is no text must not hide a link.
function linksBelow(root: Buffer): readonly Buffer[] {
  const links: Buffer[] = []
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), entry.name])
      if (entry.isSymbolicLink()) links.push(path)
      else if (entry.isDirectory()) folders.push(path)
    }
  }
  return links
}

function staysInside(root: string, link: Buffer): boolean {
  try {
    const real = realpathSync.native(link)
    return real === root || real.startsWith(`${root}/`) || isProgram(real)
  } catch {
    return false
  }
}

// Below /proc and /dev, a path leads somewhere else in each process.
function isProgram(path: string): boolean {
  if (normalize(path) !== path || /^\/(?:dev|proc)(?:\/|$)/.test(path)) return false
  try {
    const real = realpathSync.native(path)
    const found = statSync(real)
    return found.isFile() && (found.mode & 0o111) !== 0 && basename(dirname(real)) === 'bin'
  } catch {
    return false
  }
}
