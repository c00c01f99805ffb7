import { expect, test } from 'vitest'
import { auditStatistics, labelledJudges } from '../../../src/cli/self-test.ts'
import type { AuditEntry } from '../../../src/report/golden/run-log.ts'

const judge = { model: 'gpt-5.2', hash: 'h1' }

function labels(count: number, event: AuditEntry['event'], verdict: AuditEntry['verdict'], more = {}): AuditEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    ts: '2026-05-06T00:00:00.000+00:00',
    event,
    decision: `${event} ${verdict} ${index} ${JSON.stringify(more)}`,
    verdict,
    judge_model: judge.model,
    judge_hash: judge.hash,
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
  const statistics = auditStatistics(entries, judge)
  expect(statistics).toMatchObject({
    labels: 19,
    agreement: { count: 15, of: 19 },
    truePositives: { count: 9, of: 10 },
    trueNegatives: { count: 6, of: 9 },
    kappa: null,
  })
  expect(statistics.agreement.interval?.map((end) => Number(end.toFixed(2)))).toEqual([0.57, 0.91])
  expect(auditStatistics([...entries, ...labels(1, 'agree', 'fail', { note: 'x' })], judge).kappa?.value).toBeCloseTo(
    0.6,
    1,
  )
})

test('labels of another model or another prompt are those of another judge', () => {
  const entries = [
    ...labels(2, 'agree', 'pass'),
    ...labels(3, 'agree', 'pass', { judge_hash: 'h0' }),
    ...labels(4, 'disagree', 'pass', { judge_model: 'gpt-4' }),
  ]
  expect(auditStatistics(entries, judge)).toMatchObject({ labels: 2, agreement: { count: 2, of: 2 } })
  expect(labelledJudges(entries).map(({ model, hash }) => [model === judge.model, hash === judge.hash])).toEqual([
    [false, true],
    [true, false],
    [true, true],
  ])
})

test('a later label of a decision corrects the earlier one, and a sample is no label', () => {
  const [one] = labels(1, 'agree', 'pass')
  const entries = [{ ...one!, event: 'sampled' as const }, one!, { ...one!, event: 'disagree' as const }]
  expect(auditStatistics(entries, judge)).toMatchObject({ labels: 1, agreement: { count: 0, of: 1 } })
  expect(auditStatistics([], judge).agreement).toEqual({ count: 0, of: 0, interval: null })
})
