import { expect, test } from 'vitest'
import { skippedJudge } from '../../../../src/judges/judgement.ts'
import { formatGoldenSummary } from '../../../../src/report/golden/golden-summary.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { caseResult, reportOf, type ResultParts } from '../../../support/case-result.ts'

function block(results: readonly CaseResult[], summaryOnly = false): readonly string[] {
  const report = reportOf(results, { durationMs: 47_000 })
  const packageRoot = '/repo/packages/review'
  return formatGoldenSummary({ report, packageRoot, log: '/x/runs/a.jsonl', audit: null, summaryOnly }).slice(1)
}

function golden(id: string, part: ResultParts = {}): CaseResult {
  const [category = ''] = id.split('/')
  return caseResult(id, { format: 'golden', category, ...part })
}

function scored(id: string, weighted: number, part: Partial<CaseResult> = {}): CaseResult {
  const rubric = { dimensions: [], weighted, threshold: 4, hardFails: [], justification: '', facts: [], missed: [] }
  return golden(id, { judge: { ...skippedJudge(''), result: 'passed', rubric }, ...part })
}

test('the average is that of decided tests: one that errored after all counts nowhere', () => {
  const error = { code: 'hook-failed-open', message: 'A hook crashed.' } as const
  const broken = scored('edge/001_b', 1, { outcome: 'errored', error, reason: error.message })
  const lines = block([scored('happy/001_a', 5), scored('happy/002_c', 4), broken])
  expect(lines).toContain('Pass rate: 2/2 (100%), 1 errored')
  expect(lines).toContain('Avg score: 4.50')
})

test('a decline test passes because the agent declined, and its line says so', () => {
  const failed = scored('decline/002_b', 1, { outcome: 'failed', reason: 'It did not decline.' })
  expect(block([scored('happy/001_a', 5), scored('decline/001_a', 5), failed]).slice(1, 4)).toEqual([
    '[1/3] 001_a (happy)   5.00 ✅ pass',
    '[2/3] 001_a (decline) 5.00 ✅ pass (declined per hard-fail rule)',
    '[3/3] 002_b (decline) 1.00 ❌ fail (It did not decline.)',
  ])
})

test('cost cap hit mid-suite: the rest is not run, the partial result is reported and flagged', () => {
  const reason = 'not-run: The budget of $10.00 is spent.'
  const notRun = { outcome: 'skipped', reason, runs: [], costUsd: null, usage: null } as const
  expect(block([golden('happy/001_a'), golden('edge/001_b', notRun), golden('decline/001_c', notRun)])).toEqual([
    '═══════════════════════════════════════════════════════════════',
    '[1/3] 001_a (happy)      – ✅ pass',
    '[2/3] 001_b (edge)       – ⏭️  skipped (not-run: The budget of $10.00 is spent.)',
    '[3/3] 001_c (decline)    – ⏭️  skipped (not-run: The budget of $10.00 is spent.)',
    '───────────────────────────────────────────────────────────────',
    'Pass rate: 1/1 (100%), 2 skipped',
    'Avg score: none',
    'Hard fails: 0',
    'Total cost: $0.02 (agent $0.02 + judge $0.00)',
    'Duration: 47s',
    'Partial: 2 of 3 tests were not run: The budget of $10.00 is spent.',
    'Results saved: /x/runs/a.jsonl',
  ])
})

test('agent crashes during test: an error, apart from what failed; with --summary-only no line of its own', () => {
  const error = { code: 'engine-failed', message: 'claude exited with 1\nat x' } as const
  const results = [golden('happy/001_a', { outcome: 'errored', error, reason: error.message, costUsd: null })]
  expect(block(results)[1]).toBe('[1/1] 001_a (happy)    – ❌ error (hard fail agent_error: claude exited with 1)')
  const stale = {
    code: 'stale',
    message: 'The recording is stale:\n  memory/a.md has changed.\nRecord it again.',
  } as const
  expect(block([golden('happy/001_a', { outcome: 'errored', error: stale, reason: stale.message })])[1]).toBe(
    '[1/1] 001_a (happy)    – ❌ error (The recording is stale: memory/a.md has changed.)',
  )
  expect(block(results, true)).toEqual([
    '═══════════════════════════════════════════════════════════════',
    'Pass rate: 0/0 (none), 1 errored',
    'Avg score: none',
    'Hard fails: 1',
    'Total cost: unknown (agent unknown + judge $0.00)',
    'Duration: 47s',
    'Results saved: /x/runs/a.jsonl',
  ])
})

test('names once which judge was passed over, and why', () => {
  const why = 'The judge gpt-5.5 could not be asked, so claude-sonnet-5 judged: The API at x answered 503'
  const passed = [golden('happy/001_a', { notices: ['Else.', `${why}.`] }), golden('happy/002_b', { notices: [why] })]
  expect(block(passed, true)).toContain(`${why}.`)
  expect(block(passed, true).filter((line) => line.includes('gpt-5.5'))).toHaveLength(1)
})

test('surfaces how many decisions of the judge a person is to look at', () => {
  const report = reportOf([scored('happy/001_a', 5)])
  const audit = { sampled: 1, decisions: 10 }
  const lines = formatGoldenSummary({ report, packageRoot: '/x', log: null, audit, summaryOnly: true })
  expect(lines).toContain('Audit sample for review: 1 of 10 decisions')
})
