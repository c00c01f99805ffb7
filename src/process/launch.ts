import { execa } from 'execa'

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
  const child = execa('/bin/sh', ['-c', 'read -r line || exec "$@"', 'sh', file, ...args], {
    env: { ...env },
    extendEnv: false,
    cwd: '/',
    // No signal to our group must reach it.
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // It may have been killed itself.
  child.stdin.on('error', () => undefined)
  child.unref()
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return () => void child.stdin.end('over\n')
}

/** Starts a program and leaves it to itself, whether it exists or not. */
export function startAndLeave(file: string, args: readonly string[]): void {
  execa(file, args, { detached: true, cleanup: false, reject: false, stdio: 'ignore' }).unref()
}

/** Runs a program in this terminal to its end. Resolves to its exit code; `null` when a signal ended it. */
export async function runInForeground(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number | null> {
  // The terminal sends a Ctrl-C to both: the program decides what it means.
  process.on('SIGINT', leaveToProgram)
  try {
    const { exitCode } = await execa(file, args, { env: { ...env }, extendEnv: false, reject: false, stdio: 'inherit' })
    return exitCode ?? null
  } finally {
    process.off('SIGINT', leaveToProgram)
  }
}

function leaveToProgram(): void {}
