import { isMainThread } from 'node:worker_threads'
import { inject, type RunnerTestCase } from 'vitest'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject } from '../../lib/json.ts'
import type { RunSettings } from '../../options/settings.ts'
import '../provided.ts'

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

/** The settings of this run, as the plugin gives them to every project. */
export function readSettings(): RunSettings {
  const settings = inject('agentEvals') as RunSettings | undefined
  if (settings !== undefined) return settings
  throw new AgentEvalsError(
    'invalid-options',
    'The fixture `agent` needs the plugin. Add agentEvals() to `plugins` of vitest.config.ts.',
  )
}

/**
 * Lets a retry run again only what could not be completed: a verdict is never rolled again.
 *
 * Set on the test while it runs, since Vitest drops conditions that are functions when it has collected a file.
 */
export function limitRetry(task: Pick<RunnerTestCase, 'retry'>): void {
  const { retry } = task
  if (retry === undefined || retry === 0) return
  task.retry = { ...(typeof retry === 'number' ? { count: retry } : retry), condition: isRetryable }
}

/** Whether an attempt that ended with this error may be run again. */
export function isRetryable(error: unknown): boolean {
  return isJsonObject(error) || error instanceof Error
    ? (error as { name?: unknown }).name === 'AgentEvalsError'
    : false
}
