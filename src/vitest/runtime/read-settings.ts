import { inject, type RunnerTestCase } from 'vitest'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject } from '../../lib/json.ts'
import type { RunSettings } from '../../options/settings.ts'
import '../provided.ts'

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
