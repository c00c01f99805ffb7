import { spawn } from 'node:child_process'
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
