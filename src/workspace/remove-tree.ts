import { chmodSync, lstatSync, opendirSync, rmdirSync, unlinkSync, type Dir } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OWNER_FILE } from './owner.ts'

/**
 * Removes a tree on its own file system, following no link and giving itself the permissions it needs.
 * Returns what is in the way, or `null` when all is gone.
 */
export async function removeTree(root: string, deadline: number): Promise<string | null> {
  const device = lstatSync(root, { throwIfNoEntry: false })?.dev
  if (device === undefined) return null
  let problem: string | null = null
  let steps = 0
  // It goes last: a workspace whose removal is interrupted is then still known to be one.
  const label = join(root, OWNER_FILE)
  const open: OpenFolder[] = []
  try {
    enter(root)
    for (let folder = open.at(-1); folder !== undefined; folder = open.at(-1)) {
      steps += 1
      if (steps % STEPS_PER_TURN === 0) {
        await nextTurn()
        if (performance.now() > deadline) return 'it took too long'
      }
      const entry = folder.dir.readSync()
      if (entry === null) {
        await leave(folder)
        continue
      }
      const path = join(folder.path, entry.name)
      if (path !== label) remove(path, entry.isDirectory())
    }
  } catch (error) {
    problem ??= (error as Error).message
  } finally {
    for (const { dir } of open) dir.closeSync()
  }
  return problem

  function remove(path: string, isFolder: boolean): void {
    try {
      if (!isFolder) attempt(path, root, () => unlinkSync(path))
      else if (lstatSync(path).dev === device) enter(path)
      else problem ??= `${path} is a mount point`
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') problem ??= (error as Error).message
    }
  }

  function enter(path: string): void {
    if (open.length >= MAX_DEPTH) throw new Error(`${root} is nested too deep`)
    open.push({ path, dir: attempt(path, root, () => opendirSync(path, { bufferSize: 256 })) })
  }

  async function leave(folder: OpenFolder): Promise<void> {
    open.pop()
    folder.dir.closeSync()
    try {
      if (folder.path !== root) return await removeFolder(folder.path, root)
      // In one step: a process that ends in between would leave a folder that nothing knows as its own.
      remove(label, false)
      attempt(root, root, () => rmdirSync(root))
    } catch (error) {
      problem ??= (error as Error).message
    }
  }
}

interface OpenFolder {
  readonly path: string
  readonly dir: Dir
}

// Few: a run that has got its place meanwhile is started in between.
const STEPS_PER_TURN = 8
// Each level keeps a descriptor.
const MAX_DEPTH = 256

// A disk may keep this waiting for 50 ms, and nothing else of the process should wait for it.
async function removeFolder(path: string, root: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => {
    giveAccess(path, root, error)
    return rmdir(path)
  })
}

function attempt<Result>(path: string, root: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    giveAccess(path, root, error)
    return action()
  }
}

// Opening needs rights on the folder itself, unlinking on the one that holds it; never on what holds the tree.
function giveAccess(path: string, root: string, error: unknown): void {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EACCES' && code !== 'EPERM') throw error
  if (path !== root) chmodSync(dirname(path), 0o700)
  if (lstatSync(path).isDirectory()) chmodSync(path, 0o700)
}
