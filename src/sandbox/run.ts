import { lstatSync, opendirSync, readFileSync, readlinkSync, statfsSync, type Dir } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import {
  defaultLimits,
  formatBytes,
  readExceededMemory,
  removeControlGroup,
  type ResourceLimits,
} from './control-group.ts'
import { NOT_STARTED, runProcess, type ProcessOptions, type ProcessResult } from './process/run-process.ts'
import {
  findMembers,
  listSessionProcesses,
  measureDeletedFiles,
  measureMemory,
  type ListedProcess,
} from './process/session-processes.ts'
import type { SandboxedCommand } from './sandbox.ts'

/** How a session ended. */
export interface SessionResult extends ProcessResult {
  /** Error of the backend when it could not start the session at all; the engine never ran then. */
  readonly setupError: string | null
  /** Which limit on its resources the session exceeded, and by how much; `null` when it exceeded none. */
  readonly resourceLimit: string | null
}

/** Of a session that needs no process. */
export const NO_PROCESS: SessionResult = {
  ...NOT_STARTED,
  setupError: null,
  resourceLimit: null,
}

/** Runs a sandboxed command, and returns only when nothing of it is left. */
export async function runSandboxed(
  command: SandboxedCommand,
  options: SessionOptions,
  limits: ResourceLimits = defaultLimits(),
): Promise<SessionResult> {
  const watch = watchResources(command, limits)
  const signals = options.signal === undefined ? [] : [options.signal]
  let result: Omit<SessionResult, 'resourceLimit'>
  let resourceLimit: string | null = null
  try {
    result = await runCommand(command, {
      ...options,
      signal: AbortSignal.any([...signals, watch.signal]),
      onSpawn(pid) {
        watch.start(pid)
        options.onSpawn?.(pid)
      },
    })
  } finally {
    resourceLimit = await watch.end()
    if (command.controlGroup !== null) removeControlGroup(command.controlGroup)
  }
  return { ...result, resourceLimit }
}

type SessionOptions = Omit<ProcessOptions, 'env' | 'cwd' | 'descriptors' | 'status' | 'tag' | 'graceMs'>

async function runCommand(
  command: SandboxedCommand,
  options: SessionOptions,
): Promise<Omit<SessionResult, 'resourceLimit'>> {
  const result = await runProcess(command.file, command.arguments, {
    ...options,
    env: command.env,
    cwd: command.cwd,
    descriptors: command.descriptors,
    status: command.status,
    graceMs: command.graceMs,
    tag: command.tag ?? undefined,
  })
  if (!command.status) return { ...result, setupError: null }

  // What carries a tag has been looked for already.
  const survivors = command.tag === null ? await waitForNamespace(result.status) : []
  return { ...result, survivors: [...result.survivors, ...survivors], setupError: readSetupError(result) }
}

// The session's first process is gone only when its whole namespace is, daemons included.
async function waitForNamespace(status: string): Promise<readonly number[]> {
  const pid = Number(/"child-pid": (\d+)/.exec(status)?.[1])
  if (Number.isNaN(pid)) return []

  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (!isAlive(pid)) return []
    await sleep(PAUSE_MS)
  }

  return [pid]
}

// Where no process collects orphans, as in a container without an init, it stays as a zombie; that is gone enough.
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function readSetupError({ exitCode, status, stderrTail, spawnError }: ProcessResult): string | null {
  if (spawnError !== null) return spawnError.message
  if (exitCode === null || exitCode === 0 || hasStarted(status)) return null

  return stderrTail.trim() || `it ended with exit code ${exitCode}`
}

function hasStarted(status: string): boolean {
  return status.includes('"exit-code"') || status.includes(STARTED)
}

/** Written to the status descriptor by a backend that has started the engine, where it writes nothing else. */
export const STARTED = '{"started":true}'

const ATTEMPTS = 500
const PAUSE_MS = 10

/** Looks at what one session uses, and says when that is more than it may. */
interface ResourceWatch {
  /** Aborts when a limit is exceeded. */
  readonly signal: AbortSignal
  /** Begins to look, once the session has its first process. */
  start(pid: number): void
  /** Ends the watch of a session whose processes are gone. Returns which limit it exceeded, or `null`. */
  end(): Promise<string | null>
}

type Watched = Pick<SandboxedCommand, 'controlGroup' | 'root' | 'sizedFolders'>

/** Watches a session that runs as this command. */
function watchResources(command: Watched, limits: ResourceLimits): ResourceWatch {
  const controller = new AbortController()
  let exceeded: string | null = null
  const session: Session = {
    pid: 0,
    async look(members) {
      exceeded ??=
        findMemoryProblem(command, limits, members) ??
        findFullFolder(command, members) ??
        (await findDiskProblem(command, limits, members))
      if (exceeded !== null) controller.abort()
    },
  }
  return {
    signal: controller.signal,
    start(pid) {
      session.pid = pid
      SESSIONS.add(session)
      loop ??= lookAtSessions().finally(() => (loop = null))
    },
    async end() {
      SESSIONS.delete(session)
      await session.look([])
      return exceeded
    },
  }
}

interface Session {
  pid: number
  look(members: readonly ListedProcess[]): Promise<void>
}

// One loop for all sessions of this thread: the list of processes is read once for all of them.
async function lookAtSessions(): Promise<void> {
  let pauseMs = LOOK_EVERY_MS
  while (SESSIONS.size > 0) {
    await sleep(pauseMs, undefined, { ref: false })
    const startedAt = performance.now()
    const processes = SESSIONS.size === 0 ? [] : await listSessionProcesses()
    for (const session of SESSIONS) {
      if (SESSIONS.has(session)) await session.look(findMembers(processes, session.pid))
    }
    // However large the folders are, looking takes a twentieth of the time at most.
    pauseMs = Math.min(Math.max(LOOK_EVERY_MS, (performance.now() - startedAt) * 20), MAX_PAUSE_MS)
  }
}

function findMemoryProblem(
  { controlGroup }: Watched,
  { memory }: ResourceLimits,
  members: readonly ListedProcess[],
): string | null {
  if (controlGroup !== null && controlGroup.memory !== null) {
    const peak = readExceededMemory(controlGroup)
    return peak === null ? null : describe('memory', peak, memory)
  }
  const used = measureMemory(members, memory)
  return used > memory ? describe('memory', used, memory) : null
}

async function findDiskProblem(
  { root }: Watched,
  { disk, entries }: ResourceLimits,
  members: readonly ListedProcess[],
): Promise<string | null> {
  const deleted = measureDeletedFiles(members)
  const used = await measureDisk(root, { bytes: disk - deleted, entries })
  if (used.bytes + deleted > disk) return describe('disk space', used.bytes + deleted, disk)
  if (used.entries <= entries) return null
  return `The session made more files and folders than its limit of ${entries.toLocaleString('en')}. ${ADVICE}`
}

// Such a folder can be seen only through a process of the session, whose file systems are its own.
function findFullFolder({ sizedFolders }: Watched, members: readonly ListedProcess[]): string | null {
  const inside = sizedFolders.length === 0 ? undefined : members.findLast(({ pid }) => mountsOf(pid) !== OWN_MOUNTS)
  if (inside === undefined) return null
  for (const folder of sizedFolders) {
    const total = sizeIfFull(`/proc/${inside.pid}/root${folder}`)
    if (total !== null) return `The session filled ${folder}, whose limit is ${formatBytes(total)}. ${ADVICE}`
  }
  return null
}

function sizeIfFull(path: string): number | null {
  try {
    const { bfree, blocks, bsize } = statfsSync(path)
    return bfree === 0 ? blocks * bsize : null
  } catch {
    return null
  }
}

function mountsOf(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`)
  } catch {
    return null
  }
}

function describe(what: string, used: number, limit: number): string {
  return `The session used more ${what} than its limit of ${formatBytes(limit)}: ${formatBytes(used)}. ${ADVICE}`
}

const ADVICE = 'Look in the transcript for the command that took it, and give the agent a smaller task.'
const OWN_MOUNTS = mountsOf('self')
const SESSIONS = new Set<Session>()
let loop: Promise<void> | null = null
const LOOK_EVERY_MS = 1000
const MAX_PAUSE_MS = 30_000

/** What a folder takes on the disk. */
interface DiskUse {
  readonly bytes: number
  readonly entries: number
}

/**
 * Counts what is in a folder, without following a link, and stops once one of the limits is exceeded. Holes in files
 * take nothing, and a file with several names counts once. What changes meanwhile is counted or not. Names are bytes, and
 * what has too long a path to be looked at exceeds the limit.
 */
export async function measureDisk(root: string, limits: DiskUse): Promise<DiskUse> {
  const folders = [Buffer.from(root)]
  const linked = new Set<string>()
  let bytes = 0
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const dir = open(folder)
    if (dir === 'too-long') return { bytes, entries: Number.POSITIVE_INFINITY }
    if (dir === null) continue
    try {
      for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
        entries += 1
        const path = Buffer.concat([folder, SLASH, Buffer.from(entry.name)])
        const size = measureEntry(path, linked)
        if (size === 'too-long') return { bytes, entries: Number.POSITIVE_INFINITY }
        bytes += size
        if (entry.isDirectory()) folders.push(path)
        if (bytes > limits.bytes || entries > limits.entries) return { bytes, entries }
        if (entries % ENTRIES_PER_TURN === 0) await nextTurn()
      }
    } finally {
      dir.closeSync()
    }
  }
  return { bytes, entries }
}

function measureEntry(path: Buffer, linked: Set<string>): number | 'too-long' {
  try {
    const { blocks, dev, ino, nlink } = lstatSync(path)
    const id = `${dev}:${ino}`
    if (nlink > 1 && linked.has(id)) return 0
    if (nlink > 1) linked.add(id)
    return (blocks ?? 0) * BLOCK
  } catch (error) {
    return isTooLong(error) ? 'too-long' : 0
  }
}

function open(folder: Buffer): Dir | 'too-long' | null {
  try {
    // Names are buffers then, which the types do not say.
    return opendirSync(folder, { bufferSize: 256, encoding: 'buffer' as BufferEncoding })
  } catch (error) {
    return isTooLong(error) ? 'too-long' : null
  }
}

function isTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG'
}

const SLASH = Buffer.from('/')

const ENTRIES_PER_TURN = 128
/** The unit in which files name what they take, whatever the file system's own. */
const BLOCK = 512
