import { expect, test } from 'vitest'
import { OPTIONS } from '../../../../src/options/options.ts'
import type { Budgets } from '../../../../src/options/project-options.ts'
import { announceBudgets, checkBudgets, describeBudget } from '../../../../src/report/gate/compare-arms.ts'
import { formatBudgets } from '../../../../src/report/gate/format-gate.ts'
import { verdictOf, withBudgets } from '../../../../src/report/gate/gate.ts'
import { parseReport, type ReadReport } from '../../../../src/report/read-report.ts'

const usage = { input_tokens: 100, output_tokens: 10, cache_read_tokens: 5, cache_write_tokens: 1 }

function reportOf(cases: readonly object[], summary: object = {}): ReadReport {
  const written = cases.map((one, at) => ({ id: `c-${at}`, name: `c-${at}`, verdict: 'PASS', usage, ...one }))
  const text = JSON.stringify({ version: 1, timestamp: '2026-11-01T00:00:00Z', cases: written, summary })
  return parseReport(text, 'report.json')
}

const passes = (count: number): readonly object[] => Array.from({ length: count }, () => ({}))

function check(report: ReadReport, budgets: Budgets): readonly (readonly [string, string])[] {
  return checkBudgets([report], budgets).map(({ name, verdict }) => [name, verdict])
}

test('a pass rate is compared by the lower bound of its interval, over decided cases that are no other arm', () => {
  const report = reportOf([...passes(10), { verdict: 'ERROR' }, { verdict: 'FAIL', arm: 'variant' }])
  const [found] = checkBudgets([report], { passRate: 0.73 })
  expect(found).toMatchObject({ value: 1, verdict: 'failed' })
  expect(found?.interval?.[0]).toBeCloseTo(10 / (10 + 1.959963984540054 ** 2), 9)
  expect(check(report, { passRate: 0.72 })).toEqual([['passRate', 'passed']])
  expect(check(reportOf([{ verdict: 'SKIP' }]), { passRate: 0.1 })).toEqual([['passRate', 'unknown']])
})

test('recall and precision count runs, and leave out queries that are errored', () => {
  const query = (should: boolean, fired: number, completed: number, verdict = 'PASS'): object => ({
    verdict,
    trigger: { should_trigger: should, fired, completed },
  })
  const report = reportOf([query(true, 18, 20), query(false, 1, 20), query(true, 0, 20, 'ERROR')])
  const [recall, precision] = checkBudgets([report], { triggerRecall: 0.69, triggerPrecision: 0.76 })
  expect(recall).toMatchObject({ value: 0.9, verdict: 'passed' })
  expect(precision).toMatchObject({ value: 18 / 19, verdict: 'failed' })
  expect(check(reportOf(passes(2)), { triggerPrecision: 0.5 })).toEqual([['triggerPrecision', 'unknown']])
})

test('cost, tokens and time are upper limits, and what is not known keeps none of them', () => {
  const ran = reportOf(
    [1, 2, 30].map((seconds) => ({
      cost: { known_usd: 1 },
      runs: [{ duration_seconds: seconds }],
    })),
    { cost_usd: 3, unknown_cost_cases: 1, tokens: usage },
  )
  expect(check(ran, { costUsd: 2.5, tokens: 116, p95Seconds: 30 })).toEqual([
    // What is known is too much already.
    ['costUsd', 'failed'],
    ['tokens', 'passed'],
    ['p95Seconds', 'passed'],
  ])
  expect(check(ran, { costUsd: 5, tokens: 115, p95Seconds: 29 })).toEqual([
    ['costUsd', 'unknown'],
    ['tokens', 'failed'],
    ['p95Seconds', 'failed'],
  ])
  // Of twenty runs one may be slower.
  const twenty = reportOf([{ runs: [...passes(19).map(() => ({ duration_seconds: 1 })), { duration_seconds: 99 }] }])
  expect(checkBudgets([twenty], { p95Seconds: 1 })).toMatchObject([{ value: 1, verdict: 'passed' }])
  expect(check(reportOf(passes(1)), { p95Seconds: 1 })).toEqual([['p95Seconds', 'unknown']])
})

test('a missed budget fails a gate that finds no regression, and all of them are shown', () => {
  const report = reportOf(passes(4))
  const budgets = checkBudgets([report], { passRate: 0.9, tokens: 5, costUsd: 1 })
  expect(withBudgets(null, budgets, report)).toMatchObject({ verdict: 'failed', exit_code: 1, cases: [], notices: [] })
  expect(verdictOf(budgets.filter(({ name }) => name === 'costUsd'))).toBe('passed')
  const shown = formatBudgets(budgets, (_, text) => text).join('\n')
  expect(shown).toMatch(/✗ pass rate +100% \(95% interval 51% to 100%\); lower bound at least 90%/)
  expect(shown).toContain('✓ cost')
  expect(shown).toContain('Budgets missed: pass rate.')
  expect(budgets.map((one) => describeBudget(one)[0])).toEqual(['pass rate', 'cost', 'tokens'])
})

test('what a run cannot meet or cannot miss is said before it starts', () => {
  const live = { isFree: false, maxCostUsd: 10 }
  const says = (budgets: Budgets, sizes = { cases: 10, positives: 6 }): readonly string[] =>
    announceBudgets(budgets, { ...live, sizes })
  expect(says({ passRate: 0.9, triggerRecall: 0.6 })).toEqual([
    'The budget pass rate cannot pass: even if all 10 cases pass, the lower bound is 72%, below 90%. It takes 35.',
  ])
  expect(says({ passRate: 0.9 }, { cases: 35, positives: 0 })).toEqual([])
  expect(says({ passRate: 0.9 }, { cases: 34, positives: 0 })).toHaveLength(1)
  expect(says({ triggerPrecision: 0.5 }, { cases: 1, positives: 0 })[0]).toContain('cannot pass: there are no runs')
  expect(says({ costUsd: 10 })).toEqual(['The budget cost cannot fail: --max-cost-usd stops the run at $10.00.'])
  expect(says({ costUsd: 9 })).toEqual([])
  expect(announceBudgets({ costUsd: 1, passRate: 0.9 }, { isFree: true, maxCostUsd: 10, sizes: null })).toEqual([
    'The budget cost cannot fail: answers that are replayed cost nothing.',
  ])
})

test.each<[unknown, Budgets | null]>([
  ['passRate=0.8, costUsd=2', { passRate: 0.8, costUsd: 2 }],
  [{ tokens: 5 }, { tokens: 5 }],
  ['passrate=0.8', null],
  ['passRate=1', null],
  ['passRate=', null],
  ['costUsd=-1', null],
  ['cost', null],
])('budgets are read as %o', (given, expected) => {
  const read = OPTIONS.budgets.schema.safeParse(given)
  expect(read.success ? read.data : null).toEqual(expected)
})

test('a case in quarantine is in no rate, and costs what it costs', () => {
  const quarantine = { case: 'x', reason: 'r', since: '2026-10-01', expiry: '2026-12-01' }
  const failing = (expired: boolean): ReadReport =>
    reportOf([...passes(10), { verdict: 'FAIL', cost: { known_usd: 3 }, quarantine: { ...quarantine, expired } }], {
      cost_usd: 3,
    })
  expect(check(failing(false), { passRate: 0.72, costUsd: 2 })).toEqual([
    ['passRate', 'passed'],
    ['costUsd', 'failed'],
  ])
  expect(check(failing(true), { passRate: 0.72 })).toEqual([['passRate', 'failed']])
})

test('queries that stopped at their verdict have no recall and no precision', () => {
  const trigger = { should_trigger: true, fired: 20, completed: 20, runs: 30, saved: 10 }
  const found = checkBudgets([reportOf([{ trigger }])], { triggerRecall: 0.5, triggerPrecision: 0.5 })
  expect(found).toMatchObject([
    { verdict: 'unknown', value: null },
    { verdict: 'unknown', why: 'queries stopped at their verdict (--runs auto), so they have no rate' },
  ])
})
