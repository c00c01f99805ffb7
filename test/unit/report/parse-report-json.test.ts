import { expect, test } from 'vitest'
import { parseReport } from '../../../src/report/read-report.ts'
import { parseReportJson } from '../../../src/report/parse-report-json.ts'

test('a report of endless nesting is no report', () => {
  const deep = (levels: number): string => `{ "version": 1, "a": ${'['.repeat(levels)}${']'.repeat(levels)} }`
  expect(parseReportJson(deep(400))).toMatchObject({ version: 1 })
  expect(() => parseReport(deep(100_000), 'a.json')).toThrow(
    'a.json is not an eval report: it is nested deeper than 500 levels.',
  )
})
