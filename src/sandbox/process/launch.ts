import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import type { Socket } from 'node:net'

// Programs that outlive this process or have its terminal: nothing reads what they print.

/**
 * Has a program run once this process is gone without having called it off: killed, or left in a hurry.
 * Returns how to call it off. Until then there is but a shell that waits for the end of its input.
 */
export function runAfterDeath(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): () => void {
  const child = spawn('/bin/sh', ['-c', 'read -r line || exec "$@"', 'sh', file, ...args], {
    env: { ...env },
    cwd: '/',
    // No signal to our group must reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // It may not have started, or have been killed itself.
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  child.unref()
  const input = child.stdin as Socket
  input.unref()
  return () => void input.end('over\n')
}

/** Starts a program and leaves it to itself, whether it exists or not. */
export function startAndLeave(file: string, args: readonly string[]): void {
  spawn(file, args, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref()
}

/** Runs a program in this terminal to its end. Resolves to its exit code; `null` when a signal ended it. */
export function runInForeground(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number | null> {
  const child = spawn(file, args, { env: { ...env }, stdio: 'inherit' })
  // It has the last word: what it does at its end is not over when we are told to end.
  const tell = (signal: NodeJS.Signals): void => void child.kill(signal)
  const handlers = { SIGHUP: tell, SIGTERM: tell, SIGINT: ofTerminal } as const
  const signals = Object.keys(handlers) as (keyof typeof handlers)[]
  for (const signal of signals) process.on(signal, handlers[signal])
  return new Promise<number | null>((resolve) => child.on('error', () => resolve(null)).on('exit', resolve)).finally(
    () => signals.forEach((signal) => process.off(signal, handlers[signal])),
  )
}

// The terminal sends a Ctrl-C to both: the program decides what it means.
function ofTerminal(): void {}

/**
 * Descriptors above stderr that a child of this process would inherit: our own parent left them open.
 *
 * One of them may be a folder of the host, through which a confined child could walk out.
 */
export function inheritedDescriptors(): readonly number[] {
  found ??= findInherited()
  return found
}

// Node marks all that it opens itself, so what is inherited never grows.
let found: readonly number[] | null = null

function findInherited(): readonly number[] {
  try {
    return readdirSync(FOLDER)
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInheritable(descriptor))
  } catch {
    return []
  }
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`${FOLDER}/${descriptor}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    return false
  }
}

const FOLDER = '/proc/self/fdinfo'
const CLOSE_ON_EXEC = 0o2000000

/** Why a process did not start. */
export interface SpawnError {
  /** Such as `ENOENT`. */
  readonly code: string
  readonly message: string
}

/** Whether the machine, or a limit on it, had nothing left for one more process. */
export function isOutOfResources({ code }: SpawnError): boolean {
  return ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(code)
}

/** Reads what spawning threw or rejected with. */
export function toSpawnError(error: unknown): SpawnError {
  if (!(error instanceof Error)) return { code: 'UNKNOWN', message: String(error) }

  const { code, message } = error as NodeJS.ErrnoException
  return { code: code ?? 'UNKNOWN', message }
}
