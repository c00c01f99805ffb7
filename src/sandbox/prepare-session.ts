import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname, join, posix, sep } from 'node:path'
import { AgentEvalsError } from '../lib/errors.ts'
import { pathBelow } from '../packages/package-root.ts'
import type { SandboxRequest } from './sandbox.ts'

/** Makes the folders of a session and those that it may write: the same ones in every sandbox, and without one. */
export function prepareSession(request: SandboxRequest): SandboxRequest {
  const { root, writablePaths } = request
  for (const name of FOLDERS) mkdirSync(join(root, name), { recursive: true })
  if (writablePaths === null) return request
  return { ...request, writablePaths: makeWritablePaths(join(root, 'workspace'), writablePaths) }
}

const FOLDERS = ['workspace', 'home', 'config', 'tmp', 'hooks', 'package']

/** Makes the folders that may be written; returns them without decoration. Only what exists can be mounted, and an agent that finds them in one sandbox must find them in each. */
function makeWritablePaths(workspace: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    const inner = normalizeWritablePath(path)
    makeFolder(workspace, inner, path)
    return inner
  })
}

function normalizeWritablePath(path: string): string {
  const inner = posix.normalize(path.replace(/\/\*{1,2}$/, '')).replace(/\/$/, '')
  if (!posix.isAbsolute(inner) && inner !== '..' && !inner.startsWith('../') && !inner.includes('\0')) return inner

  throw unsafe(path, 'it leads out of the workspace')
}

// Step by step, because a link that the package brought must not move the mount out of the workspace.
function makeFolder(workspace: string, inner: string, path: string): void {
  let at = workspace
  for (const name of inner.split('/')) {
    at = join(at, name)
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === true) throw unsafe(path, 'it goes through a symbolic link')
    if (found !== undefined && !found.isDirectory()) throw unsafe(path, 'it names a file, not a folder')
    if (found === undefined) mkdirSync(at)
  }
}

function unsafe(path: string, reason: string): AgentEvalsError {
  return new AgentEvalsError(
    'unsafe-path',
    `The writable path ${JSON.stringify(path)} cannot be used: ${reason}. Name a folder below the workspace, such as "output/".`,
  )
}

/** What keeps files of a session as they were staged. Paths relative to the root of the run, `/`-separated. */
interface ProtectedPaths {
  /** Mounted read-only. */
  readonly files: readonly string[]
  /** Folders around them, mounted on themselves: a mount point cannot be renamed, so no other folder takes their place. */
  readonly folders: readonly string[]
}

/** Where the protected files of a session need mounts. What is read-only anyway needs none. */
export function protectedPaths({
  protectedFiles = [],
  writablePaths,
}: Pick<SandboxRequest, 'protectedFiles' | 'writablePaths'>): ProtectedPaths {
  const writable = (writablePaths ?? ['.']).map((path) => posix.join('workspace', path))
  const isOpen = (path: string): boolean =>
    !path.startsWith('workspace/') || writable.some((folder) => path.startsWith(`${folder.replace(/\/\.?$/, '')}/`))
  const files = protectedFiles.filter(isOpen)
  const folders = new Set(files.flatMap(foldersOf).filter(isOpen))
  return { files, folders: [...folders].toSorted() }
}

// The first folder of a run is a mount of its own.
function foldersOf(file: string): readonly string[] {
  const names = file.split('/')
  return names.slice(2).map((_, index) => names.slice(0, index + 2).join('/'))
}

/**
 * Finds the first of some files that is not the user's own: those in the git work tree of the Vitest root, tracked or
 * not, outside `node_modules`. Where the root is in none, those below the root. `null` when all of them are. All paths
 * are absolute.
 */
export function findForeignFile(root: string, files: readonly string[], twin: string | null = null): string | null {
  if (files.length === 0) return null
  const workTrees = new Map<string, string | null>()
  const realRoot = realpathSync(root)
  const ownTree = workTreeOf(realRoot, workTrees)
  const realTwin = twin === null ? null : realpathSync(twin)
  const isOwn = (file: string): boolean => {
    const real = realpathSync(file)
    if (real.split(sep).includes('node_modules')) return false
    if (realTwin !== null && workTreeOf(dirname(real), workTrees) === realTwin) return true
    if (workTreeOf(dirname(real), workTrees) !== ownTree) return false
    return ownTree !== null || pathBelow(realRoot, real) !== null
  }
  return files.find((file) => !isOwn(file)) ?? null
}

// The nearest one: a repository inside another, such as a submodule, is another's.
function workTreeOf(folder: string, workTrees: Map<string, string | null>): string | null {
  const found = workTrees.get(folder)
  if (found !== undefined) return found
  const above = dirname(folder)
  const workTree = existsSync(join(folder, '.git')) ? folder : above === folder ? null : workTreeOf(above, workTrees)
  workTrees.set(folder, workTree)
  return workTree
}
