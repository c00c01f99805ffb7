import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { formatSummary } from '../../../../src/report/summary/summary.ts'
import type { Report } from '../../../../src/report/report.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { caseResult, reportOf } from '../../../support/case-result.ts'

const failed = { outcome: 'failed', reason: 'no' } as const

function baseline(name: string, part: Partial<CaseResult> = {}): CaseResult {
  const one = caseResult(name)
  return { ...one, id: `${one.id}@without_skill`, name: `${name} (without_skill)`, arm: 'without_skill', ...part }
}

const report = (...results: readonly CaseResult[]): Report => reportOf(results)

function lines(one: Report): readonly string[] {
  return formatSummary([{ report: one, path: null }], { color: false }).map(stripVTControlCharacters)
}

test('what is different in every case is told from chance once there are enough', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const all = report(...names.flatMap((name) => [caseResult(name), baseline(name, failed)]))
  expect(all.lift).toMatchObject([{ cases: 6, better: 6, worse: 0, difference: 1, p_value: 0.031, too_few: false }])
  expect(lines(all)).toContain(
    '       Lift  +100 points: 100% (6 of 6, 61% to 100%) with the skill, 0% (0 of 6, 0% to 39%) without; 6 of 6 cases better, 0 worse; exact sign test p = 0.031',
  )
})

test('cases of which an arm was not decided are in no number', () => {
  const lost = { outcome: 'errored', error: { code: 'timed-out', message: 'x' } } as const
  const some = report(
    caseResult('a'),
    baseline('a', lost),
    caseResult('b', failed),
    baseline('b'),
    caseResult('c'),
    baseline('c'),
  )
  expect(some.lift).toMatchObject([{ cases: 2, better: 0, worse: 1, same: 1, difference: -0.5, p_value: 1 }])
  expect(some.summary).toMatchObject({ total: 3, passed: 2, failed: 1, errored: 0, pass_rate: 0.67, cost_usd: 0.12 })
})

test('a report without arms says nothing of lift', () => {
  expect(Object.keys(report(caseResult('a')))).not.toContain('lift')
})
