import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './process/process-tree.ts'
import { NOT_STARTED, runProcess, type ProcessOptions, type ProcessResult } from './process/run-process.ts'
import type { SandboxedCommand } from './sandbox.ts'

/** How a session ended. */
export interface SessionResult extends ProcessResult {
  /** Error of the backend when it could not start the session at all; the engine never ran then. */
  readonly setupError: string | null
}

/** Of a session that needs no process. */
export const NO_PROCESS: SessionResult = { ...NOT_STARTED, setupError: null }

type SessionOptions = Omit<ProcessOptions, 'env' | 'cwd' | 'descriptors' | 'status' | 'tag' | 'graceMs'>

/** Runs a sandboxed command, and returns only when nothing of it is left. */
export async function runSandboxed(command: SandboxedCommand, options: SessionOptions): Promise<SessionResult> {
  const result = await runProcess(command.file, command.arguments, { ...options, ...command })
  if (!command.status) return { ...result, setupError: null }

  // What carries a tag has been looked for already.
  if (command.tag === null) await waitForNamespace(result.status)
  return { ...result, setupError: readSetupError(result) }
}

// The session's first process is gone only when its whole namespace is, daemons included.
async function waitForNamespace(status: string): Promise<void> {
  const pid = Number(/"child-pid": (\d+)/.exec(status)?.[1])
  if (Number.isNaN(pid)) return
  for (let attempt = 0; attempt < ATTEMPTS && isAlive(pid); attempt += 1) await sleep(PAUSE_MS)
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
