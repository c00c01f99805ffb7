import { expect, test } from 'vitest'
import { spendingOf } from '../../../../src/report/results/case-spending.ts'
import { combineRuns } from '../../../../src/report/results/combine-runs.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { caseResult } from '../../../support/case-result.ts'

const passed = caseResult('a')
const failed = caseResult('a', { outcome: 'failed', reason: 'no file', notices: ['The skill was never used.'] })
const errored = caseResult('a', {
  outcome: 'errored',
  reason: 'It took too long.',
  error: { code: 'timed-out', message: 'It took too long.' },
})

function combine(results: readonly CaseResult[], threshold = 1): CaseResult {
  const [first, ...rest] = results
  return combineRuns(first!, rest, { runs: results.length, threshold })
}

test('a case passes when enough of its completed runs have', () => {
  expect(combine([passed, passed, errored]).outcome).toBe('passed')
  expect(combine([passed, failed]).outcome).toBe('failed')
  expect(combine([passed, failed], 0.5).outcome).toBe('passed')
  expect(combine([errored, errored]).outcome).toBe('errored')
})

test('what failed is said with the rate, the interval and the run', () => {
  const combined = combine([passed, failed, errored, failed])
  const { reason, repeats, notices, runs } = combined
  expect(reason).toBe(
    '1 of 3 runs passed (33%; 95% interval 6% to 79%), and all have to. 1 of 4 could not be completed and is not in the rate. Run 2: no file',
  )
  expect(repeats).toMatchObject({ runs: 4, completed: 3, passed: 1, errors: 1, threshold: 1 })
  expect(repeats?.pass_at_k).toEqual([0.333, 0.667, 1])
  expect(repeats?.pass_all_k).toEqual([0.333, 0, 0])
  expect(notices).toEqual(['Run 3: It took too long.', 'Runs 2, 4: The skill was never used.'])
  expect(runs.map(({ verdict }) => verdict?.outcome)).toEqual(['passed', 'failed', 'errored', 'failed'])
  expect(spendingOf(combined).agent).toMatchObject({ usd: 0.08, usage: { input_tokens: 4000 } })
})

test('the time of a case is that of the runs that were made now, where some were taken over', () => {
  const earlier = { ...passed, startedAt: '2026-02-20T00:00:00.000Z', reused_from: 'r' }
  const combined = combine([passed, earlier])
  // Its age is that of the oldest.
  expect(combined.startedAt).toBe(earlier.startedAt)
  expect([combined.duration_seconds, combined.reused_from]).toEqual([passed.duration_seconds, null])
  expect(combine([earlier, earlier])).toMatchObject({ startedAt: earlier.startedAt, reused_from: 'r' })
})

test('runs with scripted answers are counted, and measure nothing', () => {
  const scripted = caseResult('a', { source: 'scenario' })
  const replayed = caseResult('a', {
    source: 'replay',
    recorded: { at: '2026-01-01', origin: 'scenario', engine_version: null },
  })
  for (const one of [scripted, replayed]) {
    const { reason, repeats } = combine([one, { ...one, outcome: 'failed', reason: 'no file' }])
    expect(reason).toBe('1 of 2 runs passed (50%), and all have to. Run 2: no file')
    expect(repeats).toMatchObject({ completed: 2, rate: 0.5, interval: null, pass_at_k: [], pass_all_k: [] })
  }
})

test('no completed run is an error of its own', () => {
  const { error, reason } = combine([errored, errored])
  expect(error).toEqual({ code: 'timed-out', message: reason })
  expect(reason).toBe('None of the 2 runs completed. Run 1: It took too long.')
})

test('a run that the budget stopped takes nothing from the others, and one without answers skips the case', () => {
  const stopped = caseResult('a', { outcome: 'skipped', reason: 'not-run: the budget is spent', runs: [] })
  const missing = caseResult('a', { outcome: 'skipped', reason: 'It has no recording.', runs: [] })
  expect(combine([passed, stopped])).toMatchObject({ outcome: 'passed', repeats: { runs: 2, completed: 1 } })
  expect(combine([stopped, stopped])).toEqual(stopped)
  expect(combine([passed, missing])).toEqual(missing)
})

test('what a run of before gave is said only where it gave all', () => {
  const reused = caseResult('a', { reused_from: 'before', key: 'k' })
  expect(combine([reused, reused])).toMatchObject({ reused_from: 'before' })
  expect(combine([reused, passed]).reused_from).toBeNull()
  expect(Object.keys(combine([reused, reused]))).not.toContain('key')
})
