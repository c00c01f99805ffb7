import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { dirSync } from 'tmp'
import { allOf, type Engines } from '../engines/registry.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { foldersUpwards } from '../lib/files.ts'
import { readWorkspaceFile } from '../lib/workspace-file.ts'
import { HOME, killLeftoverProcesses } from '../sandbox/process/process-tree.ts'
import { runProcess } from '../sandbox/process/run-process.ts'
import { OWNER_FILE, currentOwner, isElsewhere, isGone, isThisProcess, parseOwner, removeTree } from './remove-tree.ts'

/** The folders of one run. Disposing of it removes them, unless they are kept. */
export interface Workspace extends AsyncDisposable {
  /** Unique among the workspaces of this machine. */
  readonly id: string
  /** Absolute path of the folder that holds all others, without links; only this user may enter it. */
  readonly root: string
  /** Where the agent works. */
  readonly workspace: string
  readonly home: string
  /** The engine's config folder. */
  readonly config: string
  readonly tmp: string
  /** Plan of the hook shim and its decisions. */
  readonly hooks: string
  /** Copy of the package without evals and tests. */
  readonly package: string
  /** One sentence to show once; `null` when there is nothing to say. */
  readonly notice: string | null
  /** Removes it, kept or not, and returns a warning instead of throwing when something is left. */
  remove(): Promise<string | null>
}

/** How a workspace is made. */
interface WorkspaceOptions {
  /** Whether it stays after its run. @default false */
  readonly keep?: boolean
  /** Folders to choose from, instead of the system's temporary ones. */
  readonly parents?: readonly string[]
  /** Whose files in folders above would be read. @default the built-in ones */
  readonly engines?: Engines
  /** Absolute path of the Vitest root, below which no workspace is kept. */
  readonly project?: string
}

/** Makes the empty folders of one run, outside every repository. */
export function createWorkspace(options: WorkspaceOptions = {}): Workspace {
  const keep = options.keep ?? false
  const parent = findWorkspaceParent(options.parents, options.engines, keep ? options.project : undefined)
  const root = makeFolders(parent.dir, keep)
  let removal: Promise<string | null> | undefined
  const remove = (): Promise<string | null> => (removal ??= removeWorkspace(root))
  return {
    id: basename(root).slice(PREFIX.length),
    root,
    workspace: join(root, 'workspace'),
    home: join(root, HOME),
    config: join(root, 'config'),
    tmp: join(root, 'tmp'),
    hooks: join(root, 'hooks'),
    package: join(root, 'package'),
    notice: parent.notice,
    remove,
    async [Symbol.asyncDispose]() {
      if (!keep) await remove()
    },
  }
}

/** Begins the name of every workspace. */
const PREFIX = 'agent-evals-'

const FOLDERS = ['workspace', HOME, 'config', 'tmp', 'hooks', 'package']

function makeFolders(parent: string, keep: boolean): string {
  try {
    const root = dirSync({ tmpdir: parent, template: `${PREFIX}XXXXXX`, mode: 0o700, keep: true, tries: 20 }).name
    writeFileSync(join(root, OWNER_FILE), JSON.stringify(currentOwner(keep)))
    for (const name of FOLDERS) mkdirSync(join(root, name))
    return root
  } catch (cause) {
    throw new AgentEvalsError(
      'workspace-failed',
      `Cannot create a workspace in ${parent}: ${(cause as Error).message}. Free some space there, or set TMPDIR to another folder.`,
      { cause },
    )
  }
}

/**
 * Removes what a run left, however hostile: folders without permissions, trees too deep for a path, a million files.
 * Returns a warning instead of throwing, since a finished result must not be lost over rubbish.
 *
 * @param deadlineMs - milliseconds that it may take.
 */
export async function removeWorkspace(root: string, deadlineMs: number = 20_000): Promise<string | null> {
  const deadline = performance.now() + deadlineMs
  const first = await removeTree(root, deadline)
  if (first === null) return null
  const left = deadline - performance.now()
  if (left > 0) await removeWithRm(root, left)
  const last = await removeTree(root, deadline)
  return last === null ? null : setAside(root, last)
}

// Walks by descriptors, so that no path is ever too long for it.
async function removeWithRm(root: string, deadlineMs: number): Promise<void> {
  const flags = process.platform === 'linux' ? ['-rf', '--one-file-system'] : ['-rf', '-x']
  await runProcess('/bin/rm', [...flags, '--', root], { cwd: '/', env: {}, deadlineMs, graceMs: 0 })
}

function setAside(root: string, problem: string): string {
  if (basename(root).startsWith(TRASH)) return `${root} could not be removed: ${problem}.`
  const trash = join(dirname(root), `${TRASH}${basename(root)}`)
  try {
    renameSync(root, trash)
    return `The workspace could not be removed: ${problem}. The rest is in ${trash}; remove it manually.`
  } catch {
    return `The workspace could not be removed: ${problem}. The rest is in ${root}; remove it manually.`
  }
}

/** Begins the name of what could not be removed. */
const TRASH = '.trash-'

/** Where workspaces are made. */
interface WorkspaceParent {
  /** Absolute path without links. */
  readonly dir: string
  /** One sentence when it is not the system's temporary folder. */
  readonly notice: string | null
}

/**
 * Chooses a folder outside every repository: agents read CLAUDE.md, rules, skills and MCP servers from every
 * folder above them, and such a file in the temporary folder would change what is measured. Nor is it below a project
 * whose tests would include what a session has left.
 *
 * @param project - absolute path of that project, where the workspace stays.
 */
function findWorkspaceParent(
  candidates: readonly string[] = defaultCandidates(),
  engines?: Engines,
  project?: string,
): WorkspaceParent {
  const markers = ['.git', ...allOf('readAbove', engines)]
  const root = project !== undefined && existsSync(project) ? realpathSync(project) : null
  const refused: { readonly place: string; readonly notice: string }[] = []
  for (const candidate of candidates) {
    if (!existsSync(candidate)) continue
    const dir = realpathSync(candidate)
    const marker = markerAbove(dir, markers)
    if (marker !== null)
      refused.push({
        place: `${marker} contains instructions that agents would read`,
        notice: `agents would read ${marker}, which is above the temporary folder`,
      })
    else if (root !== null && foldersUpwards(dir).includes(root)) {
      const place = `${dir} is below the project, whose tests would include what a session leaves`
      refused.push({ place, notice: place })
    } else {
      const [first] = refused
      return { dir, notice: first === undefined ? null : `Workspaces are made in ${dir}: ${first.notice}.` }
    }
  }
  const reason = refused.map(({ place }) => place).join('; ') || `${candidates.join(', ')} does not exist`
  throw new AgentEvalsError(
    'workspace-failed',
    `No safe directory for workspaces: ${reason}. Remove that, or set TMPDIR to a folder outside every repository.`,
  )
}

function defaultCandidates(): readonly string[] {
  const runtime = process.env['XDG_RUNTIME_DIR']
  return [tmpdir(), '/tmp', '/var/tmp', ...(runtime === undefined ? [] : [runtime]), '/dev/shm']
}

function markerAbove(dir: string, markers: readonly string[]): string | null {
  const paths = foldersUpwards(dir).flatMap((folder) => markers.map((name) => join(folder, name)))
  return paths.find((path) => existsSync(path)) ?? null
}

/** What a sweep did. */
interface Sweep {
  /** Absolute paths. */
  readonly removed: readonly string[]
  readonly warnings: readonly string[]
}

/** Where and how long a sweep may work. */
interface SweepOptions {
  /** Folder that holds workspaces; by default the one that new ones are made in. */
  readonly parent?: string
  /** Milliseconds for everything. @default 10000 */
  readonly deadlineMs?: number
  /** Whether this process has no run any more, so that its own workspaces may go too. @default false */
  readonly includesOwn?: boolean
}

/** Removes the workspaces of runs that were killed: only ours, only when their process has gone, never kept ones. */
export async function sweepWorkspaces(options: SweepOptions = {}): Promise<Sweep> {
  const parent = options.parent === undefined ? findWorkspaceParent().dir : realpathSync(options.parent)
  const deadline = performance.now() + (options.deadlineMs ?? 10_000)
  const removed: string[] = []
  const warnings: string[] = []
  for (const name of readdirSync(parent)) {
    const left = deadline - performance.now()
    if (left <= 0) break
    const root = join(parent, name)
    if (!LEFTOVER.test(name) || !isOurFolder(root) || !(await isAbandoned(root, options.includesOwn ?? false))) continue
    await killLeftoverProcesses(root)
    const warning = await removeWorkspace(root, left)
    if (warning === null) removed.push(root)
    else warnings.push(warning)
  }
  return { removed, warnings }
}

const LEFTOVER = new RegExp(`^(?:${TRASH.replace('.', '\\.')})?${PREFIX}[A-Za-z0-9]{6}$`)
const MINUTE = 60_000
const DAY = 86_400_000

// Everybody may write to the temporary folder, so the name alone says nothing.
function isOurFolder(root: string): boolean {
  const found = stat(root)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

async function isAbandoned(root: string, includesOwn: boolean): Promise<boolean> {
  const read = await readWorkspaceFile(root, OWNER_FILE, 4096)
  const owner = read.status === 'read' ? parseOwner(read.bytes.toString()) : null
  const age = Date.now() - (stat(root)?.mtimeMs ?? Date.now())
  // Made a moment ago and not yet labelled, or already half removed.
  if (owner === null) return age > 10 * MINUTE
  if (owner.kept) return false
  if (includesOwn && isThisProcess(owner)) return true
  return isElsewhere(owner) ? age > 2 * DAY : isGone(owner)
}

function stat(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
