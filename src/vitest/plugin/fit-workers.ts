import { availableParallelism } from 'node:os'
import type { TestProject } from 'vitest/node'
import { isLiveAllowed } from '../../case/prepare/is-live-allowed.ts'

/**
 * Takes back workers that could only wait: runs whose answers are local are limited to the cores, and each worker
 * costs some computing before its first case.
 */
export function fitWorkers(
  { config }: Pick<TestProject, 'config'>,
  concurrency: number | null,
  settings: Parameters<typeof isLiveAllowed>[0],
): void {
  if (concurrency !== null || isLiveAllowed(settings)) return
  // More than can run: the next cases are prepared meanwhile, and tests without a session may wait for anything.
  const enough = 2 * availableParallelism() + 1
  config.maxWorkers = Math.min(config.maxWorkers ?? enough, enough)
}
