import { withInputTable } from '../../../support/input-table.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { compare } from '../../../../src/report/compare/compare.ts'
import type { Comparison } from '../../../../src/report/compare/comparison-schema.ts'
import { formatComparison } from '../../../../src/report/compare/format-comparison.ts'
import { parseReport, type ReadReport } from '../../../../src/report/read-report.ts'

interface Case {
  readonly name: string
  readonly passed?: number
  readonly runs?: number
  readonly verdict?: string
  readonly [field: string]: unknown
}

function reportOf(...cases: readonly Case[]): ReadReport {
  const written = cases.map(({ name, passed = 0, runs = 5, verdict, ...rest }) => ({
    id: `evals/cases/${name}.yaml#${name}`,
    name,
    verdict: verdict ?? (passed === runs ? 'PASS' : 'FAIL'),
    source: 'live',
    repeats: { passed, completed: runs },
    ...rest,
  }))
  return parseReport(
    JSON.stringify({
      version: 1,
      agent_evals_version: '0.2.0',
      timestamp: '2026-11-01T00:00:00Z',
      ...withInputTable(written),
    }),
    'report.json',
  )
}

const many = (passed: number, from = 0): readonly Case[] =>
  Array.from({ length: 10 }, (_, at) => ({ name: `case-${at + from}`, passed }))

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../schemas/gate.schema.json'), 'utf8'),
) as object
const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema)

function gate(before: ReadReport, after: ReadReport): Comparison {
  const result = compare(before, after)
  expect(validate(JSON.parse(JSON.stringify(result))) ? [] : validate.errors).toEqual([])
  return result
}

function shown(result: Comparison): string {
  return formatComparison(result, { paint: (_, text) => text, paths: ['a.json', 'b.json'], decides: true }).join('\n')
}

test('the same runs pass, and a drop over all cases fails though no single case can', () => {
  expect(gate(reportOf(...many(5)), reportOf(...many(5)))).toMatchObject({ verdict: 'passed', exit_code: 0 })
  const failed = gate(reportOf(...many(5)), reportOf(...many(3)))
  expect(failed).toMatchObject({ verdict: 'failed', exit_code: 1 })
  expect(failed.cases.filter(({ regressed }) => regressed)).toEqual([])
  expect(failed.plan.says.join(' ')).toContain('No single case can fail')
  expect(shown(failed)).toContain('Gate failed. The cases are worse by more than noise.')
})

test('better is no regression', () => {
  expect(gate(reportOf(...many(1)), reportOf(...many(5)))).toMatchObject({ verdict: 'passed' })
})

test('one red run of a noisy case does not fail, and a case that breaks among many does', () => {
  const wide = (first: number): ReadReport =>
    reportOf(
      { name: 'a', passed: first, runs: 10 },
      ...many(5).map((one) => ({ ...one, passed: 9, runs: 10 })),
      ...many(5, 10).map((one) => ({ ...one, passed: 5, runs: 10 })),
    )
  expect(gate(wide(10), wide(9)).verdict).toBe('passed')
  const broken = gate(wide(10), wide(0))
  expect(broken.verdict).toBe('failed')
  expect(broken.cases.filter(({ regressed }) => regressed).map(({ name }) => name)).toEqual(['a'])
  expect(broken.pooled?.regressed).toBe(false)
  expect(shown(broken)).toContain('Worse by itself: a.')
})

test.each<[string, readonly Case[], string]>([
  ['missing', [], 'missing'],
  ['newly errored', [{ name: 'b', verdict: 'ERROR', error: 'the API broke', repeats: null }], 'the API broke'],
  ['newly skipped', [{ name: 'b', verdict: 'SKIP', skip_reason: 'not-run', repeats: null }], 'not-run'],
  ['changed', [{ name: 'b', passed: 5, hashes: [{ path: 'b.yaml', role: 'case', hash: '2' }] }], 'case file'],
  ['answered otherwise', [{ name: 'b', passed: 5, source: 'replay' }], 'authors commit recordings that pass'],
])('a case that is %s leaves the gate undecided', (_, after, why) => {
  const b = { name: 'b', passed: 5, hashes: [{ path: 'b.yaml', role: 'case', hash: '1' }] }
  const same = after.map((one) => ({ hashes: b.hashes, ...one }))
  const result = gate(reportOf(...many(5), b), reportOf(...many(5), ...same))
  expect(result).toMatchObject({ verdict: 'incomplete', exit_code: 2 })
  expect(shown(result)).toContain(why)
  expect(shown(result)).toContain('Gate undecided: 1 case could not be tested.')
})

test('a reason of several lines is shown as lines', () => {
  const error = 'The API broke:\n  it is closed\n::error::now'
  const broken = { name: 'b', verdict: 'ERROR', error, repeats: null }
  const lines = shown(gate(reportOf({ name: 'b', passed: 5 }), reportOf(broken))).split('\n')
  const at = lines.findIndex((line) => line.endsWith('The API broke:'))
  expect(lines.slice(at + 1, at + 3)).toEqual(['        it is closed', '        | ::error::now'])
})

test('what is not comparable has no difference, and answers of two kinds have one without an interval', () => {
  const query = { name: 'q', repeats: null, trigger: { should_trigger: true, fired: 0, completed: 2 } }
  const result = gate(
    reportOf(
      { name: 'mixed', passed: 5 },
      { name: 'asks', passed: 5, hashes: [{ path: 'b.yaml', role: 'case', hash: '1' }] },
      { ...query, verdict: 'ERROR', error: 'skills do not work here' },
    ),
    reportOf(
      { name: 'mixed', passed: 0, source: 'replay' },
      { name: 'asks', passed: 0, hashes: [{ path: 'b.yaml', role: 'case', hash: '2' }] },
      { ...query, verdict: 'PASS', trigger: { ...query.trigger, fired: 2 } },
    ),
  )
  expect(result.cases.map(({ status, change, interval, p_value: p }) => [status, change, interval, p])).toEqual([
    ['mixed', -1, null, null],
    ['changed', null, null, null],
    ['undecided', null, null, null],
  ])
  expect(shown(result)).toMatch(
    /mixed +mixed +passed, 5 of 5, .* → +failed, 0 of 5, .* -100 points +live before, replayed/,
  )
})

test('answers that somebody wrote are tested, and have no interval: there is no chance in them', () => {
  const side = (passed: number, source: string): ReadReport => reportOf({ name: 'a', passed, source })
  const live = gate(side(5, 'live'), side(1, 'live'))
  expect([live.cases[0]?.interval, live.pooled?.after.interval]).toEqual([expect.any(Array), expect.any(Array)])
  expect(shown(live)).toContain('95% interval')
  const written = gate(side(5, 'scenario'), side(1, 'scenario'))
  expect(written).toMatchObject({ verdict: 'failed', cases: [{ interval: null, change: -0.8 }] })
  expect([written.pooled?.before.interval, written.pooled?.after.interval]).toEqual([null, null])
  expect(shown(written)).not.toContain('interval')
})

test('a new case, and one that was errored before, says nothing of a regression', () => {
  const result = gate(
    reportOf(...many(5), { name: 'b', verdict: 'ERROR', error: 'broke', repeats: null }),
    reportOf(...many(5), { name: 'b', passed: 0 }, { name: 'c', passed: 0 }),
  )
  expect(result.verdict).toBe('passed')
  expect(result.cases.map(({ status }) => status).filter((status) => status !== 'compared')).toEqual([
    'undecided',
    'new',
  ])
})

test('nothing to test is not a pass', () => {
  expect(gate(reportOf(), reportOf())).toMatchObject({ verdict: 'incomplete', exit_code: 2, pooled: null })
})

test('one case that was run once cannot fail, and the gate says so', () => {
  const result = gate(
    reportOf({ name: 'a', passed: 1, runs: 1, repeats: null }),
    reportOf({ name: 'a', runs: 1, repeats: null }),
  )
  expect(result.verdict).toBe('passed')
  expect(shown(result)).toContain('This gate cannot fail')
})

test('the runs of a trigger query are those in which it did as it should', () => {
  const query = (fired: number, should: boolean): Case => ({
    name: 'q',
    verdict: 'PASS',
    repeats: null,
    trigger: { should_trigger: should, fired, completed: 10 },
  })
  expect(gate(reportOf(query(0, false)), reportOf(query(8, false)))).toMatchObject({
    verdict: 'failed',
    pooled: { before: { passed: 10 }, after: { passed: 2, completed: 10 } },
  })
  expect(gate(reportOf(query(0, true)), reportOf(query(8, true))).verdict).toBe('passed')
})

test('a case in quarantine gates nothing and is shown', () => {
  const broken = (more: object): Comparison =>
    gate(
      reportOf({ name: 'a', passed: 10, runs: 10 }, ...many(5)),
      reportOf({ name: 'a', passed: 0, runs: 10, ...more }, ...many(5)),
    )
  const apart = broken({ quarantined: true })
  expect(apart).toMatchObject({ verdict: 'passed', plan: { cases: 10 }, pooled: { after: { completed: 50 } } })
  expect(apart.cases.find(({ name }) => name === 'a')).toMatchObject({
    status: 'quarantined',
    before: { outcome: 'passed' },
    after: { outcome: 'failed' },
  })
  expect(shown(apart)).toMatch(
    /In quarantine, which gates nothing \(1\)\n.* a +passed, 10 of 10, .* → +failed, 0 of 10, .* -100 points/,
  )
  expect(broken({}).verdict).toBe('failed')
})

test('a case that is gone is missing, also one that was in quarantine', () => {
  const before = reportOf({ name: 'a', quarantined: true }, ...many(5))
  expect(gate(before, reportOf(...many(5))).cases.find(({ name }) => name === 'a')?.status).toBe('missing')
})

test('runs that stopped at the verdict have no rate: such a case is not tested, and leaves the gate undecided', () => {
  const stopped = reportOf(
    { name: 'a', passed: 0, runs: 1, repeats: { passed: 0, completed: 1, runs: 10, saved: 9 } },
    ...many(5),
  )
  const result = gate(reportOf({ name: 'a', passed: 10, runs: 10 }, ...many(5)), stopped)
  expect(result).toMatchObject({ verdict: 'incomplete', plan: { cases: 10 } })
  expect(result.cases.find(({ name }) => name === 'a')).toMatchObject({
    status: 'stopped',
    p_value: null,
    change: null,
    interval: null,
  })
})
