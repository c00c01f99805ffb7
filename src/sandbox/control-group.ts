import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { tryReadText, tryStat } from '../lib/files.ts'

/** Folders of the control groups that one session runs in, each of which limits one or both of its resources. */
export interface ControlGroup {
  readonly folders: readonly string[]
  /** The folder that limits memory; `null` where none does. */
  readonly memory: string | null
}

/** What a control group limits. */
interface ControlGroupLimits {
  readonly processes: number
  /** Bytes. */
  readonly memory: number
}

/**
 * Makes the control groups of a session; `null` where none can be made.
 *
 * The kernel exempts root from `RLIMIT_NPROC`, also inside a user namespace, so only this stops a fork bomb there. Another
 * user can make groups where the system has handed a part of the tree on, as systemd does.
 */
export function createControlGroup(
  limits: ControlGroupLimits,
  isRoot: boolean = process.getuid?.() === 0,
  roots: readonly string[] = isRoot ? ROOTS : delegatedRoots(),
): ControlGroup | null {
  const name = `${PREFIX}${process.pid}-${randomUUID()}`
  const pids = roots.find((root) => hasController(root, 'pids'))
  const memory = roots.find((root) => hasController(root, 'memory'))
  const processFolder = pids === undefined ? null : makeGroup(pids, name, [['pids.max', limits.processes]])
  const memoryFolder = memory === undefined ? null : makeMemoryGroup(memory, name, limits.memory)
  const folders = [...new Set([processFolder, memoryFolder])].filter((folder) => folder !== null)
  return folders.length === 0 ? null : { folders, memory: memoryFolder }
}

/** Removes the control groups, whose processes are gone. One that is still busy is removed by a later run. */
export function removeControlGroup({ folders }: Pick<ControlGroup, 'folders'>): void {
  for (const folder of folders) removeGroup(folder)
}

/** Removes the control groups of processes that were killed. */
export function sweepControlGroups(): void {
  for (const root of [...ROOTS, ...delegatedRoots()].filter((path) => existsSync(path))) removeLeftOvers(root)
}

/** The command that enters the groups before it becomes the given one, so that no process is ever outside. */
export function enterControlGroup(
  { folders }: ControlGroup,
  file: string,
): { readonly file: string; readonly before: readonly string[] } {
  const script = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 1; shift; done; shift; exec "$@"'
  return {
    file: '/bin/sh',
    before: ['-c', script, 'sh', ...folders.map((folder) => join(folder, 'cgroup.procs')), '--', file],
  }
}

/** Most bytes of memory that the group had, once the kernel ended a process for exceeding its limit; else `null`. */
export function readExceededMemory({ memory }: ControlGroup): number | null {
  if (memory === null) return null
  const events = tryReadText(join(memory, 'memory.events')) ?? tryReadText(join(memory, 'memory.oom_control')) ?? ''
  if (Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0) === 0) return null
  const peak = tryReadText(join(memory, 'memory.peak')) ?? tryReadText(join(memory, 'memory.max_usage_in_bytes'))
  return Number(peak ?? 0)
}

/**
 * Folders of this user in which a group may be made: of each tree the one that this process is in, or the one above it,
 * since in the second version a group with processes has no limited groups below it.
 */
export function delegatedRoots(
  user: number = process.getuid?.() ?? 0,
  text: string | null = user === 0 ? null : tryReadText('/proc/self/cgroup'),
  trees: string = TREES,
): readonly string[] {
  if (text === null) return []
  const paths = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':'))
      .map(([, tree = '', path = '']) => [tree, path]),
  )
  const folders = ['pids', 'memory', ''].flatMap((tree) => {
    const path = paths.get(tree)
    if (path === undefined) return []
    const group = join(trees, tree, path)
    return tree === '' && path !== '/' ? [dirname(group), group] : [group]
  })
  return folders.filter((folder) => isHandedOn(folder, user))
}

// Whoever moves a process needs to write the file of the group above both.
function isHandedOn(folder: string, user: number): boolean {
  const files = [folder, join(folder, 'cgroup.procs')].map(tryStat)
  return files.every((found) => found?.uid === user)
}

// The first version of control groups has a tree for each resource, the second one tree whose parents hand resources on.
function hasController(root: string, controller: 'memory' | 'pids'): boolean {
  if (!existsSync(join(root, 'cgroup.procs'))) return false
  if (!existsSync(join(root, 'cgroup.controllers'))) return existsSync(join(root, FIRST_VERSION[controller]))

  try {
    if (!readFileSync(join(root, 'cgroup.controllers'), 'utf8').split(/\s/).includes(controller)) return false
    writeFileSync(join(root, 'cgroup.subtree_control'), `+${controller}`)
    return true
  } catch {
    return false
  }
}

// Swap would only move the memory that a session takes to a disk of the host. Not every kernel limits it.
function makeMemoryGroup(root: string, name: string, bytes: number): string | null {
  const isSecond = existsSync(join(root, 'cgroup.controllers'))
  const folder = makeGroup(root, name, [[isSecond ? 'memory.max' : FIRST_VERSION.memory, bytes]])
  if (folder === null) return null
  const [swapFile, swap] = isSecond ? ['memory.swap.max', 0] : ['memory.memsw.limit_in_bytes', bytes]
  if (existsSync(join(folder, swapFile))) writeSetting(join(folder, swapFile), swap)
  return folder
}

function makeGroup(root: string, name: string, settings: readonly (readonly [string, number])[]): string | null {
  removeLeftOvers(root)
  const folder = join(root, name)
  // The second version has one group for both resources.
  const isShared = existsSync(folder)
  try {
    if (!isShared) mkdirSync(folder)
    for (const [file, value] of settings) writeFileSync(join(folder, file), String(value))
    return folder
  } catch {
    if (!isShared) removeGroup(folder)
    return null
  }
}

function writeSetting(file: string, value: number): void {
  try {
    writeFileSync(file, String(value))
  } catch {
    // The limit that was set before holds without it.
  }
}

function removeGroup(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Busy, or gone already.
  }
}

// A run that was killed had no time for it. One that lives may be about to enter a group that is still empty.
function removeLeftOvers(root: string): void {
  for (const name of readdirSync(root)) {
    const owner = LEFT_OVER.exec(name)?.[1]
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) removeGroup(join(root, name))
  }
}

const PREFIX = 'agent-evals-'
const LEFT_OVER = /^agent-evals-(\d+)-/
const TREES = '/sys/fs/cgroup'
const ROOTS = [join(TREES, 'pids'), join(TREES, 'memory'), TREES]
/** A file of the root of each tree of the first version, or of any group in it. */
const FIRST_VERSION = { pids: 'cgroup.procs', memory: 'memory.limit_in_bytes' } as const

/** What the processes and files of one session may use at once. */
export interface ResourceLimits {
  /** Bytes of memory, all its processes together. */
  readonly memory: number
  /** Bytes of its folders on the disk, files that it deleted but still has open included. */
  readonly disk: number
  /** Files and folders. */
  readonly entries: number
}

/** The limits of a session on this machine: far more than an agent's task needs. */
export function defaultLimits(machineMemory: number = readMachineMemory()): ResourceLimits {
  // A session that takes all memory would make the kernel end another process instead.
  return { memory: Math.min(4 * GIBIBYTE, Math.floor(machineMemory * 0.75)), disk: 4 * GIBIBYTE, entries: 500_000 }
}

/** Such as `4.0 GiB`. */
export function formatBytes(bytes: number): string {
  return bytes >= GIBIBYTE ? `${(bytes / GIBIBYTE).toFixed(1)} GiB` : `${Math.round(bytes / MEBIBYTE)} MiB`
}

/** Whether {@link PRLIMIT} can be used here. */
export function hasPrlimit(): boolean {
  return existsSync(PRLIMIT_PROGRAM)
}

// A container may have less than the machine. Without a limit, some systems name an impossibly large one.
function readMachineMemory(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem()
}

const MEBIBYTE = 2 ** 20
const GIBIBYTE = 2 ** 30
const PRLIMIT_PROGRAM = '/usr/bin/prlimit'

/** Processes and threads that a session may have at once. */
export const MAX_PROCESSES = 1024

/** What bounds a session's own processes and files. */
export const PRLIMIT: readonly string[] = [
  PRLIMIT_PROGRAM,
  `--nproc=${MAX_PROCESSES}`,
  `--fsize=${1024 * MEBIBYTE}`,
  '--core=0',
]
