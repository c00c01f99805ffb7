import { expect, test } from 'vitest'
import { describeLabels, isLabel } from '../../../../src/report/golden/audit-statistics.ts'
import type { AuditEntry } from '../../../../src/report/golden/run-log.ts'

function labels(count: number, event: AuditEntry['event'], verdict: AuditEntry['verdict'], more = {}): AuditEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    ts: '2026-05-06T00:00:00.000+00:00',
    event,
    decision: `${event} ${verdict} ${index} ${JSON.stringify(more)}`,
    verdict,
    judge_model: 'gpt-5.2',
    judge_hash: 'h1',
    ...more,
  }))
}

test('says how often the judge was right, with intervals, and no kappa below 20 labels', () => {
  const entries = [
    ...labels(9, 'agree', 'pass'),
    ...labels(6, 'agree', 'fail'),
    ...labels(3, 'disagree', 'pass'),
    ...labels(1, 'disagree', 'fail'),
  ]
  expect(Object.fromEntries(describeLabels(entries))).toEqual({
    Agreement: '79% (15 of 19; 57% to 91%)',
    Kappa: 'not before 20 labels',
  })
  const more = describeLabels([...entries, ...labels(1, 'agree', 'fail', { note: 'x' })])
  expect(Object.fromEntries(more)['Kappa']).toMatch(/^0\.60 \(/)
})

test('a sample is no label', () => {
  const [one] = labels(1, 'agree', 'pass')
  expect([{ ...one!, event: 'sampled' as const }, one!].filter(isLabel)).toEqual([one])
  expect(Object.fromEntries(describeLabels([]))['Agreement']).toBe('unknown (no label)')
})
