import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasResidentLimit } from './resident-limit.ts'
import { listNames } from '../files.ts'

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
 * `NAME=value` of its environment; one that has emptied that is known by the limit of the tag, where it got one.
 *
 * Returns the processes that could not be killed. Finds nothing where there is no /proc.
 */
export async function killTagged(tag: string): Promise<readonly number[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const left = findTagged([tag])
    if (left.length === 0) return []

    for (const pid of left) kill(pid)
    await sleep(PAUSE_MS)
  }

  return findTagged([tag])
}

// While a process exits nothing can be awaited.
function killLiveTrees(): void {
  for (const pid of LIVE_TREES.keys()) signalGroup(pid, 'SIGKILL')
  const tags = [...LIVE_TREES.values()].filter((tag) => tag !== null)
  for (let attempt = 0; attempt < ATTEMPTS && tags.length > 0; attempt += 1) {
    const left = findTagged(tags)
    if (left.length === 0) return

    for (const pid of left) kill(pid)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
}

function findTagged(tags: readonly string[]): readonly number[] {
  return listProcesses().filter((pid) => pid !== process.pid && pid !== process.ppid && hasTag(pid, tags))
}

function listProcesses(): readonly number[] {
  return listNames('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

// A zombie has no environment any more, so it is not found, which is right: it can do nothing.
function hasTag(pid: number, tags: readonly string[]): boolean {
  const environment = `\0${readEnvironment(pid)}`
  return tags.some((tag) => environment.includes(`\0${tag}\0`)) || hasResidentLimit(pid, tags)
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already, or not ours to kill: the next look tells.
  }
}

/** The tag of each, by the leader of its group. */
const LIVE_TREES = new Map<number, string | null>()
const ATTEMPTS = 100
const PAUSE_MS = 10
