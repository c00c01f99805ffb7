import { isMainThread } from 'node:worker_threads'
import { beforeEach, expect } from 'vitest'
import { toHavePassedCheck } from './passed-check.ts'
import { limitRetry } from './retry.ts'
import '../../register.ts'

expect.extend({ toHavePassedCheck })
beforeEach(({ task }) => limitRetry(task))

// With `pool: 'forks'` a Ctrl-C in a terminal reaches the workers too; the main process decides what it means.
const INSTALLED = Symbol.for('agent-evals.signals')
const installed = globalThis as { [INSTALLED]?: true }
if (isMainThread && installed[INSTALLED] === undefined) {
  installed[INSTALLED] = true
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => {})
}
