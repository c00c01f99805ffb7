import { readlinkSync, statfsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findMembers, listProcesses, measureDeletedFiles, measureMemory } from '../process/session-processes.ts'
import { measureDisk } from '../workspace/disk-use.ts'
import { readExceededMemory } from './control-group.ts'
import { formatBytes, type ResourceLimits } from './resource-limits.ts'
import type { ListedProcess } from '../process/session-processes.ts'
import type { SandboxedCommand } from './sandbox.ts'

/** Looks at what one session uses, and says when that is more than it may. */
export interface ResourceWatch {
  /** Aborts when a limit is exceeded. */
  readonly signal: AbortSignal
  /** Begins to look, once the session has its first process. */
  start(pid: number): void
  /** Ends the watch of a session whose processes are gone. Returns which limit it exceeded, or `null`. */
  end(): Promise<string | null>
}

type Watched = Pick<SandboxedCommand, 'controlGroup' | 'root' | 'sizedFolders'>

/** Watches a session that runs as this command. */
export function watchResources(command: Watched, limits: ResourceLimits): ResourceWatch {
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
  let pauseMs = PAUSE_MS
  while (SESSIONS.size > 0) {
    await sleep(pauseMs, undefined, { ref: false })
    const startedAt = performance.now()
    const processes = SESSIONS.size === 0 ? [] : await listProcesses()
    for (const session of SESSIONS) {
      if (SESSIONS.has(session)) await session.look(findMembers(processes, session.pid))
    }
    // However large the folders are, looking takes a twentieth of the time at most.
    pauseMs = Math.min(Math.max(PAUSE_MS, (performance.now() - startedAt) * 20), MAX_PAUSE_MS)
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
const PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000
