import { expect, test } from 'vitest'
import { OPTIONS } from '../../../../src/options/options.ts'
import { resolveOptions } from '../../../../src/options/resolve-options.ts'
import type { Budgets } from '../../../../src/options/project-options.ts'
import { announceBudgets, checkBudgets, verdictOf } from '../../../../src/report/compare/verdicts.ts'
import { describeBudget } from '../../../../src/report/compare/words.ts'
import { formatBudgets } from '../../../../src/report/compare/format-comparison.ts'
import { withBudgets } from '../../../../src/report/compare/compare.ts'
import { parseReport, type ReadReport } from '../../../../src/report/read-report.ts'

const usage = { input_tokens: 100, output_tokens: 10, cache_read_tokens: 5, cache_write_tokens: 1 }

function reportOf(cases: readonly object[], summary: object = {}): ReadReport {
  const written = cases.map((one, at) => ({ id: `c-${at}`, name: `c-${at}`, verdict: 'PASS', usage, ...one }))
  const text = JSON.stringify({
    version: 1,
    agent_evals_version: '0.2.0',
    timestamp: '2026-11-01T00:00:00Z',
    cases: written,
    summary,
  })
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

test('cost is an upper limit, and a cost that is not known keeps none', () => {
  const ran = reportOf([{ cost: { known_usd: 3 } }], { cost_usd: 3, unknown_cost_cases: 1 })
  // What is known is too much already.
  expect(check(ran, { costUsd: 2.5 })).toEqual([['costUsd', 'failed']])
  expect(check(ran, { costUsd: 5 })).toEqual([['costUsd', 'unknown']])
  expect(check(reportOf([{ cost: { known_usd: 3 } }], { cost_usd: 3 }), { costUsd: 3 })).toEqual([
    ['costUsd', 'passed'],
  ])
})

test('a missed budget fails a gate that finds no regression, and all of them are shown', () => {
  const report = reportOf(passes(4))
  const budgets = checkBudgets([report], { passRate: 0.9, costUsd: 1 })
  expect(withBudgets(null, budgets, report)).toMatchObject({ verdict: 'failed', exit_code: 1, cases: [], notices: [] })
  expect(verdictOf(budgets.filter(({ name }) => name === 'costUsd'))).toBe('passed')
  const shown = formatBudgets(budgets, (_, text) => text).join('\n')
  expect(shown).toMatch(/✗ pass rate +100% \(95% interval 51% to 100%\); lower bound at least 90%/)
  expect(shown).toContain('✓ cost')
  expect(shown).toContain('Budgets missed: pass rate.')
  expect(budgets.map((one) => describeBudget(one)[0])).toEqual(['pass rate', 'cost'])
})

test('what a run cannot meet or cannot miss is said before it starts', () => {
  const live = { isFree: false, maxCostUsd: 10 }
  const says = (budgets: Budgets, gating = 10): readonly string[] => announceBudgets(budgets, { ...live, gating })
  expect(says({ passRate: 0.9 })).toEqual([
    'The budget pass rate cannot pass: even if all 10 cases pass, the lower bound is 72%, below 90%. It takes 35.',
  ])
  expect(says({ passRate: 0.9 }, 35)).toEqual([])
  expect(says({ passRate: 0.9 }, 34)).toHaveLength(1)
  expect(says({ passRate: 0.5 }, 0)[0]).toContain('cannot pass: there are no cases')
  expect(says({ costUsd: 10 })).toEqual(['The budget cost cannot fail: --max-cost-usd stops the run at $10.00.'])
  expect(says({ costUsd: 9 })).toEqual([])
  expect(announceBudgets({ costUsd: 1, passRate: 0.9 }, { isFree: true, maxCostUsd: 10, gating: null })).toEqual([
    'The budget cost cannot fail: answers that are replayed cost nothing.',
  ])
})

test.each<[unknown, Budgets | null]>([
  ['passRate=0.8, costUsd=2', { passRate: 0.8, costUsd: 2 }],
  [{ costUsd: 5 }, { costUsd: 5 }],
  ['passrate=0.8', null],
  ['passRate=1', null],
  ['passRate=', null],
  ['costUsd=-1', null],
  ['cost', null],
])('budgets are read as %o', (given, expected) => {
  const read = OPTIONS.budgets.schema.safeParse(given)
  expect(read.success ? read.data : null).toEqual(expected)
})

test('a name that is no budget is refused with those that are', () => {
  expect(() => resolveOptions({}, { AGENT_EVALS_BUDGETS: 'p95Seconds=3' })).toThrow('Known: costUsd, passRate.')
})

test('a case in quarantine is in no rate, and costs what it costs', () => {
  const failing = (more: object): ReadReport =>
    reportOf([...passes(10), { verdict: 'FAIL', cost: { known_usd: 3 }, ...more }], { cost_usd: 3 })
  expect(check(failing({ quarantined: true }), { passRate: 0.72, costUsd: 2 })).toEqual([
    ['passRate', 'passed'],
    ['costUsd', 'failed'],
  ])
  expect(check(failing({}), { passRate: 0.72 })).toEqual([['passRate', 'failed']])
})
