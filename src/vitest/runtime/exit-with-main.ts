import { isMainThread } from 'node:worker_threads'

/**
 * Ties a worker process of `pool: 'forks'` to the main process, once: it leaves with it and not before.
 *
 * A Ctrl-C in a terminal reaches the workers too, but what it means is for the main process to decide.
 */
export function exitWithMain(): void {
  const marked = globalThis as { [INSTALLED]?: true }
  if (!isMainThread || marked[INSTALLED] !== undefined) return
  marked[INSTALLED] = true
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  // Vitest says it to a worker that it needs no more, and a stopped CI job to every process, working or not.
  process.on('SIGTERM', () => {
    if (running === 0) process.exit()
  })
  // Results of a worker without a main process would be of cases that are no longer wanted.
  process.on('disconnect', () => process.exit())
}

/** Does a piece of work that SIGTERM alone does not end. */
export async function whileRunning<T>(work: Promise<T>): Promise<T> {
  running += 1
  try {
    return await work
  } finally {
    running -= 1
  }
}

let running = 0
const INSTALLED = Symbol.for('agent-evals.signals')
