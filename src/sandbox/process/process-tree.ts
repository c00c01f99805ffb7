import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listNames } from '../../lib/files.ts'
import { sha256 } from '../../lib/sha256.ts'

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

/** What may end a process before it ends itself. */
interface EndingOptions {
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number | undefined
  readonly graceMs?: number | undefined
}

/** Watches deadline, abort signal and callbacks of one process; the first of them decides the reason. */
export class Ending {
  reason: 'timed-out' | 'aborted' | 'callback-failed' | null = null
  /** What a callback threw. */
  failure: { readonly error: unknown } | null = null
  readonly #pid: number
  readonly #options: EndingOptions
  readonly #deadline: NodeJS.Timeout | null
  #grace: NodeJS.Timeout | null = null
  #over = false

  constructor(pid: number, options: EndingOptions) {
    this.#pid = pid
    this.#options = options
    const { deadlineMs, signal } = options
    this.#deadline =
      deadlineMs === undefined ? null : setTimeout(() => this.#end('timed-out'), Math.min(deadlineMs, LONGEST_TIMER_MS))
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (signal?.aborted === true) this.#onAbort()
  }

  /** Calls what the caller gave us: an error in it must end the process, not the whole worker. */
  guard(callback: () => void): void {
    if (this.failure !== null) return

    try {
      callback()
    } catch (error) {
      this.failure = { error }
      this.#end('callback-failed')
    }
  }

  /** The process has exited: nothing more to watch. */
  clear(): void {
    this.#over = true
    if (this.#deadline !== null) clearTimeout(this.#deadline)
    if (this.#grace !== null) clearTimeout(this.#grace)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => this.#end('aborted')

  #end(reason: 'timed-out' | 'aborted' | 'callback-failed'): void {
    if (this.#over || this.reason !== null) return

    this.reason = reason
    const graceMs = this.#options.graceMs ?? DEFAULT_GRACE_MS
    if (graceMs === 0) {
      signalGroup(this.#pid, 'SIGKILL')
      return
    }

    signalGroup(this.#pid, 'SIGTERM')
    this.#grace = setTimeout(() => signalGroup(this.#pid, 'SIGKILL'), graceMs)
  }
}

const DEFAULT_GRACE_MS = 3000
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The command that takes a limit on resident memory for each of two tags before it becomes the given one.
 *
 * Linux lets a process have such a limit and never looks at it. A started process inherits it, also in a session of
 * its own and with an environment that was emptied, and all may read it: so it marks what a session has started. Where
 * it cannot be set, and on other systems, the command goes without.
 */
export function withResidentLimits(
  tags: { readonly soft: string; readonly hard: string },
  file: string,
  args: readonly string[],
): { readonly file: string; readonly arguments: readonly string[] } {
  if (process.platform !== 'linux') return { file, arguments: args }
  const script = 'ulimit -Sm "$0" 2>/dev/null; ulimit -Hm "$1" 2>/dev/null; shift; exec "$@"'
  const limits = [limitOf(tags.soft), HIGHER + limitOf(tags.hard)].map(String)
  return { file: '/bin/sh', arguments: ['-c', script, ...limits, file, ...args] }
}

/** Whether a process has the limit of one of the tags. */
function hasResidentLimit(pid: number, tags: readonly string[]): boolean {
  const [, soft, hard] = /^Max resident set +(\d+) +(\d+)/m.exec(readProc(pid, 'limits')) ?? []
  if (soft === undefined) return false
  const has = tags.some((tag) => {
    const limit = limitOf(tag)
    return soft === String(limit * KIBIBYTE) || hard === String((HIGHER + limit) * KIBIBYTE)
  })
  // A zombie keeps its limits, and can do nothing.
  return has && !/^\d+ \(.*\) [ZX] /s.test(readProc(pid, 'stat'))
}

function limitOf(tag: string): number {
  return LOWEST + Number.parseInt(sha256(tag, 9), 16)
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

// Far above all memory that a machine has, in the unit that shells count in.
const LOWEST = 2 ** 40
const HIGHER = 2 ** 40
const KIBIBYTE = 1024

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
