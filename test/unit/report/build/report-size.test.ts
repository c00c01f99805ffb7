import { expect, test } from 'vitest'
import { formatJson } from '../../../../src/lib/json.ts'
import { readReport } from '../../../../src/report/read-report.ts'
import { caseResult, reportOf } from '../../../support/case-result.ts'

const FILES = Array.from({ length: 130 }, (_, index) => ({
  path: `skills/pdf/references/chapter-${index}.md`,
  role: 'package' as const,
  hash: index.toString(16).padStart(64, '0'),
}))

/** The report of cases that all depend on the same files of their package, and each on a file of its own. */
function written(cases: number): string {
  const results = Array.from({ length: cases }, (_, index) => {
    const own = { path: `evals/cases/${index}.yaml`, role: 'case' as const, hash: index.toString(16).padStart(64, 'c') }
    return caseResult(`case-${index}`, { hashes: [...FILES, own] })
  })
  return formatJson(reportOf(results))
}

test('inputs are in a report once, and a case has their keys', () => {
  const [one, many] = [written(1), written(46)]
  expect(many.split('chapter-7.md')).toHaveLength(2)
  const { cases } = readReport(JSON.parse(many), 'report.json')
  expect(cases.map(({ inputs }) => inputs.length)).toEqual(Array.from({ length: 46 }, () => 131))
  expect(cases.find(({ name }) => name === 'case-45')?.inputs.at(-1)).toMatchObject({
    path: 'evals/cases/45.yaml',
    role: 'case',
  })
  // What each further case adds: 131 inputs alone took 24 KB of it.
  expect((many.length - one.length) / 45).toBeLessThan(6_000)
  expect(many.length).toBeLessThan(300_000)
})
