import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Sends a signal to a whole process group; says whether anything was there to take it. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
    return true
  } catch {
    return false
  }
}

/** Kills the group when this process exits before it; returns how to call that off. */
export function killGroupOnExit(pid: number): () => void {
  if (LIVE_GROUPS.size === 0) process.on('exit', killLiveGroups)
  LIVE_GROUPS.add(pid)
  return () => {
    LIVE_GROUPS.delete(pid)
    if (LIVE_GROUPS.size === 0) process.off('exit', killLiveGroups)
  }
}

/**
 * Kills what left the process group, such as a daemon started with setsid, and waits until it is gone.
 *
 * Returns the processes that could not be killed. Finds nothing where there is no /proc.
 */
export async function killTagged(tag: string): Promise<readonly number[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const left = findTagged(tag)
    if (left.length === 0) return []

    for (const pid of left) kill(pid)
    await sleep(PAUSE_MS)
  }

  return findTagged(tag)
}

function killLiveGroups(): void {
  for (const pid of LIVE_GROUPS) signalGroup(pid, 'SIGKILL')
}

function findTagged(tag: string): readonly number[] {
  return listProcesses().filter((pid) => pid !== process.pid && pid !== process.ppid && hasTag(pid, tag))
}

function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

// A zombie has no environment any more, so it is not found, which is right: it can do nothing.
function hasTag(pid: number, tag: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${tag}\0`)
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already, or not ours to kill: the next look tells.
  }
}

const LIVE_GROUPS = new Set<number>()
const ATTEMPTS = 100
const PAUSE_MS = 10
