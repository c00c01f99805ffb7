import { expect, test } from 'vitest'
import { skippedJudge } from '../../../../src/judges/judgement.ts'
import { readReport } from '../../../../src/report/read-report.ts'
import { caseResult, reportOf } from '../../../support/case-result.ts'

test('a report says where the stream of the engine is its record, and nothing where the gateway is', () => {
  const report = reportOf([caseResult('a', { record: 'engine' }), caseResult('b')])
  expect(report.cases.map((one) => ('record' in one ? one.record : 'gateway'))).toEqual(['engine', 'gateway'])
  expect(readReport(report, 'r.json').cases.map(({ record }) => record)).toEqual(['engine', null])
})

test('a dimension of a rubric has its reason, its quotes and what they are', () => {
  const evidence = [{ item: 'm1', quote: 'Done.' }]
  const dimension = { dimension: 'clarity', weight: 1, score: 4, justification: 'Plain.', evidence, rests: 'claim' }
  const rubric = {
    dimensions: [dimension],
    weighted: 4,
    threshold: 3,
    hardFails: [],
    justification: '',
    facts: [],
    missed: [],
  }
  const report = reportOf([caseResult('a', { judge: { ...skippedJudge(''), result: 'passed', rubric } as never })])
  expect(report.cases[0]?.dimensions).toEqual([
    { name: 'clarity', score: 4, reason: 'Plain.', evidence, rests: 'claim' },
  ])
})
