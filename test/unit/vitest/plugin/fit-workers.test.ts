import { availableParallelism } from 'node:os'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TestProject } from 'vitest/node'
import { fitWorkers } from '../../../../src/vitest/plugin/serve-run.ts'

const ENOUGH = 2 * availableParallelism() + 1

interface Fitted {
  readonly source: 'auto' | 'live' | 'record' | 'replay'
  readonly concurrency: number | null
}

function fitted({ source, concurrency }: Fitted, liveBlockedReason: string | null): number | undefined {
  const config = { maxWorkers: 1000 } as TestProject['config']
  fitWorkers({ config }, concurrency, { source, liveBlockedReason })
  return config.maxWorkers
}

beforeEach(() => {
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-1')
})

afterEach(() => {
  vi.unstubAllEnvs()
})

test('runs that may go live keep their workers', () => {
  expect(fitted({ source: 'live', concurrency: null }, 'CI is set')).toBe(1000)
  expect(fitted({ source: 'record', concurrency: null }, null)).toBe(1000)
  expect(fitted({ source: 'auto', concurrency: null }, null)).toBe(1000)
})

test('local answers get twice as many workers as cores, and one', () => {
  expect(fitted({ source: 'replay', concurrency: null }, null)).toBe(ENOUGH)
  expect(fitted({ source: 'auto', concurrency: null }, 'CI is set')).toBe(ENOUGH)
})

test('a concurrency that was asked for stays', () => {
  expect(fitted({ source: 'replay', concurrency: 1000 }, null)).toBe(1000)
})
