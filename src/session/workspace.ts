import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { dirSync } from 'tmp'
import { allOf, type Engines } from '../engines/registry.ts'
import { AgentEvalsError, messageOf } from '../lib/errors.ts'
import { foldersUpwards } from '../lib/files.ts'
import { sha256 } from '../lib/sha256.ts'
import { HOME, isAlive, killLeftoverProcesses } from '../sandbox/process/process-tree.ts'

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
    const template = `${keep ? `${PREFIX}kept-` : ownedPrefix()}XXXXXX`
    const root = dirSync({ tmpdir: parent, template, mode: 0o700, keep: true, tries: 20 }).name
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
 * Removes what a run left, following no link. Returns a warning instead of throwing, since a finished result must not be
 * lost over rubbish.
 */
export async function removeWorkspace(root: string): Promise<string | null> {
  const remove = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 3 })
  try {
    await remove().catch(() =>
      openFolders(root)
        .catch(() => {})
        .then(remove),
    )
    return null
  } catch (error) {
    return `The workspace could not be removed: ${messageOf(error)}. Remove ${root} manually.`
  }
}

// Toolchains leave folders from which nothing may be removed, such as Go's module cache.
async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name))
}

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

/** Where a sweep works. */
interface SweepOptions {
  /** Folder that holds workspaces; by default the one that new ones are made in. */
  readonly parent?: string
  /** Whether this process has no run any more, so that its own workspaces may go too. @default false */
  readonly includesOwn?: boolean
}

/** Removes the workspaces of runs that were killed: only ours, only when their process has gone, never kept ones. */
export async function sweepWorkspaces({ parent, includesOwn = false }: SweepOptions = {}): Promise<Sweep> {
  const folder = parent === undefined ? findWorkspaceParent().dir : realpathSync(parent)
  const removed: string[] = []
  const warnings: string[] = []
  for (const name of readdirSync(folder)) {
    const root = join(folder, name)
    if (!isAbandoned(root, includesOwn)) continue
    await killLeftoverProcesses(root)
    const warning = await removeWorkspace(root)
    if (warning === null) removed.push(root)
    else warnings.push(warning)
  }
  return { removed, warnings }
}

// Everybody may write to the temporary folder, so the name alone says nothing.
function isAbandoned(root: string, includesOwn: boolean): boolean {
  const [, space, pid] = OWNED.exec(basename(root)) ?? []
  const found = space === undefined ? undefined : lstatSync(root, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false
  // The processes of another container or machine that shares the folder cannot be seen.
  if (space !== pidSpace()) return Date.now() - found.mtimeMs > 2 * DAY
  return Number(pid) === process.pid ? includesOwn : !isAlive(Number(pid))
}

/** Begins the name of a workspace that is removed when this process is gone. */
function ownedPrefix(): string {
  return `${PREFIX}${pidSpace()}-${process.pid}-`
}

/** Where a pid means something: the host and its pid namespace. */
function pidSpace(): string {
  return sha256(`${hostname()}:${existsSync(PID_SPACE) ? readlinkSync(PID_SPACE) : ''}`, 6)
}

const PID_SPACE = '/proc/self/ns/pid'
const OWNED = new RegExp(`^${PREFIX}([0-9a-f]{6})-(\\d+)-[A-Za-z0-9]{6}$`)
const DAY = 86_400_000
