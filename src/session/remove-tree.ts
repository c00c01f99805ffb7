import { chmodSync, lstatSync, opendirSync, readFileSync, readlinkSync, rmdirSync, unlinkSync, type Dir } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { tryParseJson } from '../lib/json.ts'

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

/** Who made a workspace, so that a later run can tell whether it is still in use. */
interface Owner {
  readonly pid: number
  /** When the process started, as the system tells it; `null` where it does not. Pids are used again. */
  readonly started: string | null
  /** Where the pid means something: host name and pid namespace. */
  readonly where: string
  /** Whether the workspace was asked to stay. */
  readonly kept: boolean
}

/** Where a workspace holds its owner. */
export const OWNER_FILE = 'owner.json'

/** Describes this process. */
export function currentOwner(kept: boolean): Owner {
  return { pid: process.pid, started: processStart(process.pid), where: pidSpace(), kept }
}

/** Whether the owner's pid means nothing here: another container or machine shares the folder. */
export function isElsewhere(owner: Owner): boolean {
  return owner.where !== pidSpace()
}

/** Whether the owner has gone for certain. One that is elsewhere cannot be asked. */
export function isGone(owner: Owner): boolean {
  if (isElsewhere(owner)) return false
  if (!isAlive(owner.pid)) return true
  const started = processStart(owner.pid)
  return owner.started !== null && started !== null && started !== owner.started
}

/** Whether this process, in any of its threads, is the owner. */
export function isThisProcess(owner: Owner): boolean {
  return !isElsewhere(owner) && owner.pid === process.pid && owner.started === processStart(process.pid)
}

/** Reads an owner back; `null` when the text is none. */
export function parseOwner(text: string): Owner | null {
  const value: unknown = tryParseJson(text)
  return isOwner(value) ? value : null
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false
  const { pid, started, where, kept } = value as Partial<Record<keyof Owner, unknown>>
  const isStarted = started === null || typeof started === 'string'
  return (
    Number.isSafeInteger(pid) && Number(pid) > 0 && isStarted && typeof where === 'string' && typeof kept === 'boolean'
  )
}

function isAlive(pid: number): boolean {
  // Who was killed stays as a zombie until its parent looks, which may be never.
  if (/^[ZX]/.test(statFields(pid)?.[0] ?? '')) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function processStart(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const fields = statFields(pid)
    // Clock ticks since boot, field 22.
    return fields === null ? null : `${boot}:${fields[19] ?? ''}`
  } catch {
    return null
  }
}

// From field 3 on; the name before it may hold anything, parentheses too.
function statFields(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function pidSpace(): string {
  try {
    return `${hostname()}:${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}
