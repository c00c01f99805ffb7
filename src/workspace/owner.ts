import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { tryParseJson } from '../json.ts'

/** Who made a workspace, so that a later run can tell whether it is still in use. */
export interface Owner {
  readonly pid: number
  /** When the process started, as the system tells it; `null` where it does not. Pids are used again. */
  readonly started: string | null
  /** Where the pid means something: host name and pid namespace. */
  readonly where: string
  /** Whether the workspace was asked to stay. */
  readonly kept: boolean
}

/** Where a workspace holds its owner. */
export const OWNER_FILE = 'owner.json'

/** Describes this process. */
export function currentOwner(kept: boolean): Owner {
  return { pid: process.pid, started: processStart(process.pid), where: pidSpace(), kept }
}

/** Whether the owner's pid means nothing here: another container or machine shares the folder. */
export function isElsewhere(owner: Owner): boolean {
  return owner.where !== pidSpace()
}

/** Whether the owner has gone for certain. One that is elsewhere cannot be asked. */
export function isGone(owner: Owner): boolean {
  if (isElsewhere(owner)) return false
  if (!isAlive(owner.pid)) return true
  const started = processStart(owner.pid)
  return owner.started !== null && started !== null && started !== owner.started
}

/** Whether this process, in any of its threads, is the owner. */
export function isThisProcess(owner: Owner): boolean {
  return !isElsewhere(owner) && owner.pid === process.pid && owner.started === processStart(process.pid)
}

/** Reads an owner back; `null` when the text is none. */
export function parseOwner(text: string): Owner | null {
  const value: unknown = tryParseJson(text)
  return isOwner(value) ? value : null
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false
  const { pid, started, where, kept } = value as Partial<Record<keyof Owner, unknown>>
  const isStarted = started === null || typeof started === 'string'
  return (
    Number.isSafeInteger(pid) && Number(pid) > 0 && isStarted && typeof where === 'string' && typeof kept === 'boolean'
  )
}

function isAlive(pid: number): boolean {
  // Who was killed stays as a zombie until its parent looks, which may be never.
  if (/^[ZX]/.test(statFields(pid)?.[0] ?? '')) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function processStart(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const fields = statFields(pid)
    // Clock ticks since boot, field 22.
    return fields === null ? null : `${boot}:${fields[19] ?? ''}`
  } catch {
    return null
  }
}

// From field 3 on; the name before it may hold anything, parentheses too.
function statFields(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function pidSpace(): string {
  try {
    return `${hostname()}:${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}
