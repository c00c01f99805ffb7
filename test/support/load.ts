import { spawn } from 'node:child_process'

/** Keeps processors busy until it is disposed. */
export function busyProcesses(count: number): Disposable {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  return { [Symbol.dispose]: () => children.forEach((child) => child.kill('SIGKILL')) }
}
