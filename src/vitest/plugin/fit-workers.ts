import { availableParallelism } from 'node:os'
import type { TestProject } from 'vitest/node'
import { mayGoLive } from '../../session/may-go-live.ts'
import type { ResolvedOptions } from './options.ts'

/**
 * Takes back workers that could only wait: runs whose answers are local are limited to the cores, and each worker
 * costs most of a second of computing before its first case.
 */
export function fitWorkers(
  { config }: Pick<TestProject, 'config'>,
  { concurrency, source }: Pick<ResolvedOptions, 'concurrency' | 'source'>,
  liveForbidden: string | null,
): void {
  if (concurrency !== null || mayGoLive({ source, liveForbidden })) return
  // One more than can run, so that the next case is prepared meanwhile.
  const enough = availableParallelism() + 1
  config.maxWorkers = Math.min(config.maxWorkers ?? enough, enough)
}
