import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'

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
