import { expect, test } from 'vitest'
import { parseReport, type ReadReport } from '../../../../src/report/read-report.ts'
import { announceGates, type PlannedGates } from '../../../../src/vitest/reporter/plan-comparison.ts'

const settings = { source: 'auto', maxCostUsd: 10 } as PlannedGates['settings']
const ofVersion = { ...settings, before: { ref: 'HEAD' } } as PlannedGates['settings']

function says(ids: readonly string[], runs: number, gates: Partial<PlannedGates>): string {
  const cases = ids.map((id) => ({ id, file: 'a.yaml', engine: 'claude-code', runs }))
  const plan = { hash: '', whole: cases.length, cases, units: null }
  const gate = {
    settings,
    budgets: null,
    comparedReport: null,
    deleted: 0,
    gating: null,
    apart: new Set<string>(),
    ...gates,
  }
  return announceGates(plan, gate).join('\n')
}

function reportOf(...cases: readonly object[]): ReadReport {
  const written = cases.map((one) => ({ name: 'a', verdict: 'PASS', ...one }))
  return parseReport(
    JSON.stringify({ version: 1, agent_evals_version: '0.2.0', timestamp: '2026-11-01T00:00:00Z', cases: written }),
    'before.json',
  )
}

test('nothing is said where there is no gate', () => {
  expect(says(['a'], 3, {})).toBe('')
})

test('a comparison says that it cannot fail, and from which drop on it can', () => {
  const one = says(['a', 'a@variant'], 1, { settings: ofVersion })
  expect(one).toContain('agent-evals: 1 case x 1 run in each version:')
  expect(one).toContain('This gate cannot fail')
  expect(says(['a', 'a@variant'], 10, { settings: ofVersion })).toContain('The pooled test can fail from a drop of')
})

test('a comparison says that it cannot pass: cases of before are missing, or live on one side only', () => {
  expect(says(['a', 'a@variant'], 3, { settings: ofVersion, deleted: 2 })).toContain(
    'This gate cannot pass: 2 cases of before will be missing.',
  )
  const before = reportOf({ id: 'a', source: 'live' }, { id: 'gone', source: 'live' })
  const comparedReport = before
  expect(says(['a'], 3, { comparedReport })).toContain('This gate cannot pass: 1 case of before will be missing.')
  const replayed = { ...settings, source: 'replay' } as PlannedGates['settings']
  expect(says(['a', 'gone'], 3, { comparedReport, settings: replayed })).toContain(
    'This gate cannot pass: 2 cases will be live on one side only.',
  )
  expect(says(['a', 'gone'], 3, { comparedReport })).not.toContain('cannot pass')
})
