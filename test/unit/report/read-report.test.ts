import { expect, test } from 'vitest'
import { AgentEvalsError } from '../../../src/lib/errors.ts'
import { ownReport, parseReport, readReport } from '../../../src/report/read-report.ts'
import { skippedJudge } from '../../../src/judges/judgement.ts'
import { caseResult, plannedCase, reportOf } from '../../support/case-result.ts'

test('what a report does not say is unknown', () => {
  const { cases, ...report } = readReport(
    { version: 1, agent_evals_version: '0.2.0', cases: [{ name: 'a', verdict: 'PASS' }] },
    'r.json',
  )
  expect(report).toMatchObject({ id: null, timestamp: null, lift: [], triggers: [], notices: [] })
  expect(cases).toMatchObject([{ name: 'a', outcome: 'passed', runs: [], checks: [], usage: null, cost_usd: null }])
})

test('a wrong value is unknown and costs nothing else', () => {
  const odd = { name: 'a', verdict: 'ERROR', cost_usd: 'much', tags: ['x', 3], runs: 'none', line: -1 }
  const { cases, notices } = readReport({ version: 1, agent_evals_version: '0.2.0', cases: [odd] }, 'r.json')
  expect(cases).toMatchObject([{ outcome: 'errored', cost_usd: null, tags: ['x'], runs: [], line: null }])
  expect(notices).toEqual([
    'Not of the kind that the schema of a report names, and so taken for unknown: cases.0.line, cases.0.tags.1, cases.0.runs, cases.0.cost_usd.',
  ])
})

test('a case keeps no field that the page does not know', () => {
  const [one] = readReport(
    { version: 1, agent_evals_version: '0.2.0', cases: [{ name: 'a', verdict: 'SKIP', html: '<b>' }] },
    'r.json',
  ).cases
  expect(one).not.toHaveProperty('html')
})

test.for([
  null,
  'text',
  { version: 2, agent_evals_version: '0.2.0', cases: [] },
  { version: 1, agent_evals_version: '0.2.0', cases: 'none' },
])('%j is no report, and the error names the file', (value) => {
  expect(() => readReport(value, 'evals/reports/x.json')).toThrow(AgentEvalsError)
  expect(() => readReport(value, 'evals/reports/x.json')).toThrow(/^evals\/reports\/x\.json is not an eval report/)
})

test.for([undefined, null, '0.1.0', '0.1.3', 2])('a report of version %s is not read', (version) => {
  const report = { version: 1, agent_evals_version: version, cases: [{ name: 'a', verdict: 'PASS' }] }
  expect(() => readReport(report, 'evals/reports/x.json')).toThrow(
    'evals/reports/x.json was not written by vitest-agent-evals 0.2 or later. Write it anew: npx vitest-agent-evals run.',
  )
})

test('a report of a later version is read, without the fields that are new', () => {
  const later = {
    version: 1,
    agent_evals_version: '0.9.0',
    mood: 'good',
    cases: [{ name: 'a', verdict: 'PASS', mood: 1 }],
  }
  expect(readReport(later, 'r.json')).toMatchObject({ cases: [{ outcome: 'passed' }], notices: [] })
})

test('inputs are read from the table of the report', () => {
  const [own, other] = ['a', 'b'].map((name) => ({ path: `skills/${name}/SKILL.md`, role: 'skill', hash: name }))
  const read = (value: object): readonly unknown[] =>
    readReport({ version: 1, agent_evals_version: '0.2.0', ...value }, 'r.json').cases.map(({ inputs }) =>
      inputs.map(({ path, hash }) => [path, hash]),
    )
  const one = { name: 'a', verdict: 'PASS' }
  expect(read({ inputs: { 1: own, 2: other }, cases: [{ ...one, inputs: ['2', '1', '3'] }] })).toEqual([
    [
      ['skills/b/SKILL.md', 'b'],
      ['skills/a/SKILL.md', 'a'],
    ],
  ])
  expect(read({ cases: [one] })).toEqual([[]])
})

test('a report of endless nesting is no report', () => {
  const deep = (levels: number): string =>
    `{ "version": 1, "agent_evals_version": "0.2.0", "cases": [], "a": ${'['.repeat(levels)}${']'.repeat(levels)} }`
  expect(parseReport(deep(400), 'a.json')).toMatchObject({ cases: [] })
  expect(() => parseReport(deep(100_000), 'a.json')).toThrow(
    'a.json is not an eval report: it is nested deeper than 500 levels.',
  )
})

test('a report of our own is what would be read from its file, without being validated', () => {
  const agreement = { agree: 1, of: 1 }
  const statement = {
    text: 'It is short.',
    verdict: 'pass',
    reason: '',
    quote: '',
    quoteFoundIn: null,
    agreement,
  } as const
  const judge = { ...skippedJudge(''), result: 'passed', statements: [statement], votes: 1 } as const
  const check = { kind: 'contains', value: 'x', at: { line: 1, column: 1 }, outcome: 'passed', message: '' } as const
  const verdict = { outcome: 'passed', reason: null, checks: [check], judge } as const
  const [run] = caseResult('a').runs
  const results = [
    caseResult('a', { judge, checks: [check], runs: [{ ...run!, verdict }] }),
    caseResult('a', { id: 'evals/cases/a.yaml#a@without_skill', arm: 'without_skill', judge }),
  ]
  const report = reportOf(results, { notRun: [plannedCase('z-not-run')] })
  expect(JSON.stringify(ownReport(report))).toBe(JSON.stringify(parseReport(JSON.stringify(report), 'r.json')))
})
