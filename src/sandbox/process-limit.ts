import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes a control group that holds at most so many processes, and returns its folder; `null` where that cannot be done
 * or is not needed.
 *
 * The kernel excepts root from `RLIMIT_NPROC`, also inside a user namespace, so that only this stops a fork bomb there.
 */
export function createProcessLimit(
  processes: number,
  isRoot: boolean = process.getuid?.() === 0,
  roots: readonly string[] = ROOTS,
): string | null {
  if (!isRoot) return null

  const root = roots.find(countsProcesses)
  if (root === undefined) return null

  removeLeftOvers(root)
  const folder = join(root, `${PREFIX}${process.pid}-${randomUUID()}`)
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, 'pids.max'), String(processes))
    return folder
  } catch {
    removeProcessLimit(folder)
    return null
  }
}

/** Removes the control group, whose processes are gone. One that is still busy is removed by a later run. */
export function removeProcessLimit(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Busy, or gone already.
  }
}

/** Removes the control groups of processes that were killed. */
export function sweepProcessLimits(): void {
  for (const root of ROOTS.filter((path) => existsSync(path))) removeLeftOvers(root)
}

/** The command that enters the group before it becomes the given one, so that no process is ever outside. */
export function enterProcessLimit(
  folder: string,
  file: string,
): { readonly file: string; readonly before: readonly string[] } {
  return { file: '/bin/sh', before: ['-c', 'echo $$ > "$0" && exec "$@"', join(folder, 'cgroup.procs'), file] }
}

// The first version of control groups has a tree for each resource, the second one tree whose parents hand resources on.
function countsProcesses(root: string): boolean {
  if (!existsSync(join(root, 'cgroup.procs'))) return false
  if (!existsSync(join(root, 'cgroup.controllers'))) return true

  try {
    if (!readFileSync(join(root, 'cgroup.controllers'), 'utf8').split(/\s/).includes('pids')) return false
    writeFileSync(join(root, 'cgroup.subtree_control'), '+pids')
    return true
  } catch {
    return false
  }
}

// A run that was killed had no time for it. One that lives may be about to enter a group that is still empty.
function removeLeftOvers(root: string): void {
  for (const name of readdirSync(root)) {
    const owner = LEFT_OVER.exec(name)?.[1]
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) removeProcessLimit(join(root, name))
  }
}

const PREFIX = 'agent-evals-'
const LEFT_OVER = /^agent-evals-(\d+)-/
const ROOTS = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
