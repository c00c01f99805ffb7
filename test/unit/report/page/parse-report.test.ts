import { expect, test } from 'vitest'
import { AgentEvalsError } from '../../../../src/errors.ts'
import { parsePageReport } from '../../../../src/report/page/parse-report.ts'

test('a report with the fields of the AAM text alone is readable', () => {
  const { report, cases } = parsePageReport({ version: 1, cases: [{ name: 'a', verdict: 'PASS' }] }, 'r.json')
  expect(report).toMatchObject({ id: null, timestamp: null, lift: [], triggers: [], notices: [] })
  expect(cases).toMatchObject([{ name: 'a', outcome: 'passed', runs: [], checks: [], usage: null, cost_usd: null }])
})

test('a wrong value is unknown and costs nothing else', () => {
  const [one] = parsePageReport(
    { version: 1, cases: [{ name: 'a', verdict: 'ERROR', cost_usd: 'much', tags: ['x', 3], runs: 'none', line: -1 }] },
    'r.json',
  ).cases
  expect(one).toMatchObject({ outcome: 'errored', cost_usd: null, tags: ['x'], runs: [], line: 0 })
})

test('a case keeps no field that the page does not know', () => {
  const [one] = parsePageReport({ version: 1, cases: [{ name: 'a', verdict: 'SKIP', html: '<b>' }] }, 'r.json').cases
  expect(one).not.toHaveProperty('html')
})

test.for([null, 'text', {}, { version: 2, cases: [] }, { version: 1, cases: 'none' }])(
  '%j is no report, and the error names the file',
  (value) => {
    expect(() => parsePageReport(value, 'evals/reports/x.json')).toThrow(AgentEvalsError)
    expect(() => parsePageReport(value, 'evals/reports/x.json')).toThrow(
      /^evals\/reports\/x\.json is not an eval report/,
    )
  },
)
