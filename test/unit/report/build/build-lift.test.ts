import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { formatSummary } from '../../../../src/report/summary/summary.ts'
import type { Report } from '../../../../src/report/report.ts'
import { combineRuns } from '../../../../src/report/results/combine-runs.ts'
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

test('what scenarios answered has no interval and no test, in lift and runs', () => {
  const scripted = { source: 'scenario' } as const
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const all = report(...names.flatMap((name) => [caseResult(name), baseline(name, { ...failed, ...scripted })]))
  expect(all.lift).toMatchObject([
    { better: 6, p_value: null, with_skill: { interval: null }, without_skill: { rate: 0, interval: null } },
  ])
  expect(lines(all)).toContain(
    '       Lift  +100 points: 100% (6 of 6) with the skill, 0% (0 of 6) without; 6 of 6 cases better, 0 worse; scripted answers, which measure no model',
  )
  const twice = report(combineRuns(caseResult('a', scripted), [caseResult('a', scripted)], { runs: 2, threshold: 1 }))
  expect(lines(twice)).toEqual(
    expect.arrayContaining(['       Runs  2 of 2 passed (100%); scripted answers, which measure no model']),
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
