import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listNames } from '../../lib/files.ts'

/** Sends a signal to a whole process group; says whether anything was there to take it. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
    return true
  } catch {
    return false
  }
}

/** Kills the group, and what carries the tag, when this process exits before them; returns how to call that off. */
export function killTreeOnExit(pid: number, tag: string | null): () => void {
  if (LIVE_TREES.size === 0) process.on('exit', killLiveTrees)
  LIVE_TREES.set(pid, tag)
  return () => {
    LIVE_TREES.delete(pid)
    if (LIVE_TREES.size === 0) process.off('exit', killLiveTrees)
  }
}

/**
 * Kills what left the process group, such as a daemon started with setsid, and waits until it is gone. A tag is
 * `NAME=value` of its environment. Finds nothing where there is no /proc.
 */
export async function killTagged(tag: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS && killAll([tag]); attempt += 1) await sleep(PAUSE_MS)
}

// While a process exits nothing can be awaited.
function killLiveTrees(): void {
  for (const pid of LIVE_TREES.keys()) signalGroup(pid, 'SIGKILL')
  const tags = [...LIVE_TREES.values()].filter((tag) => tag !== null)
  for (let attempt = 0; attempt < ATTEMPTS && tags.length > 0 && killAll(tags); attempt += 1)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
}

/** Kills every process that carries one of the tags; whether there was any. */
function killAll(tags: readonly string[]): boolean {
  const found = listNames('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && pid !== process.ppid && hasTag(pid, tags))
  for (const pid of found) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already, or not ours to kill: the next look tells.
    }
  }
  return found.length > 0
}

// A zombie has no environment any more, so it is not found, which is right: it can do nothing.
function hasTag(pid: number, tags: readonly string[]): boolean {
  const environment = `\0${readProc(pid, 'environ')}`
  return tags.some((tag) => environment.includes(`\0${tag}\0`))
}

/** The tag of each, by the leader of its group. */
const LIVE_TREES = new Map<number, string | null>()
const ATTEMPTS = 100
const PAUSE_MS = 10

/** Whether a process can still do anything. Where nothing collects orphans, one that has ended stays as a zombie. */
export function isAlive(pid: number): boolean {
  if (/^\d+ \(.*\) [ZX] /s.test(readProc(pid, 'stat'))) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

/** The folder that a session's HOME is, outside of a sandbox. */
export const HOME = 'home'

/** `NAME=value` that a session carries which no sandbox confines. */
export function sessionTag(root: string): string {
  return `HOME=${join(root, HOME)}`
}

/** `NAME=value` that the scripts carry whose packages are copied into a workspace. */
export function scriptTag(root: string): string {
  return `AGENT_EVALS_ASSERT=${root}`
}

/** Ends what has outlived the process that made the workspace, and would write on. */
export async function killLeftoverProcesses(root: string): Promise<void> {
  for (const tag of [sessionTag(root), scriptTag(root)]) await killTagged(tag)
}
