import { createFixture } from 'fs-fixture'
import { afterEach, expect, test, vi } from 'vitest'
import { isVerified, noteVerified } from '../../../../src/report/results/verified-engines.ts'
import { caseResult } from '../../../support/case-result.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a version is remembered once all runs of it agree', async () => {
  await using folder = await createFixture({})
  vi.stubEnv('XDG_CACHE_HOME', folder.path)
  noteVerified([result('1.0.0', undefined)])
  noteVerified([result('2.0.0', true), result('2.0.0', false), result('3.0.0', true)])
  expect(['1.0.0', '2.0.0', '3.0.0'].map((version) => isVerified('claude-code', version))).toEqual([false, false, true])
  noteVerified([result('2.0.0', true)])
  expect(['2.0.0', '3.0.0'].map((version) => isVerified('claude-code', version))).toEqual([true, true])
  expect(isVerified('codex', '2.0.0')).toBe(false)
})

test('a broken list is none', async () => {
  await using folder = await createFixture({ 'vitest-agent-evals/verified-engines.json': '{"claude-code": "all"}' })
  vi.stubEnv('XDG_CACHE_HOME', folder.path)
  expect(isVerified('claude-code', 'all')).toBe(false)
})

function result(version: string, agrees: boolean | undefined): CaseResult {
  const made = caseResult('a')
  const decided = { by: 'probe', because: null, ...(agrees === undefined ? {} : { agrees }) } as const
  const run = { index: 1, decided } as unknown as CaseResult['runs'][number]
  return { ...made, engine: { ...made.engine, name: 'claude-code', version }, runs: [run] }
}
