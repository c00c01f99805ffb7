import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { NOT_STARTED, runProcess } from '../process.ts'
import { removeControlGroup } from './control-group.ts'
import { defaultLimits, type ResourceLimits } from './resource-limits.ts'
import { watchResources } from './watch-resources.ts'
import type { ProcessOptions, ProcessResult } from '../process.ts'
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
