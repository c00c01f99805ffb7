import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { readPastRuns } from '../../../../src/report/results/past-runs.ts'

const entry = {
  id: 'evals/cases/a.yaml#a',
  engine: 'claude-code',
  source: 'live',
  verdict: 'PASS',
  cost_usd: 0.2,
  duration_seconds: 9,
}

test('takes the newest live run of a case', async () => {
  await using fixture = await createFixture({
    'evals/reports/2026-01-01T10-00-00Z.json': JSON.stringify({ cases: [{ ...entry, cost_usd: 0.5 }] }),
    'evals/reports/2026-01-02T10-00-00Z.json': JSON.stringify({ cases: [entry] }),
    'evals/reports/2026-01-03T10-00-00Z.json': JSON.stringify({ cases: [{ ...entry, source: 'replay', cost_usd: 0 }] }),
    'evals/reports/2026-01-04T10-00-00Z.json': '{ torn',
    'evals/reports/notes.json': '[]',
  })
  expect([...readPastRuns(fixture.path, 'claude-code')]).toEqual([[entry.id, { costUsd: 0.2, durationSeconds: 9 }]])
  expect([...readPastRuns(fixture.path, 'codex')]).toEqual([])
})

test('a run that broke off, such as one of 401s, says nothing of what a live run costs', async () => {
  await using fixture = await createFixture({
    'evals/reports/2026-01-02T10-00-00Z.json': JSON.stringify({ cases: [entry] }),
    'evals/reports/2026-01-03T10-00-00Z.json': JSON.stringify({ cases: [{ ...entry, verdict: 'ERROR', cost_usd: 0 }] }),
  })
  expect(readPastRuns(fixture.path, 'claude-code').get(entry.id)?.costUsd).toBe(0.2)
})

test('a cost that was not known stays unknown', async () => {
  await using fixture = await createFixture({
    'evals/reports/2026-01-02T10-00-00Z.json': JSON.stringify({ cases: [{ ...entry, cost_usd: null }] }),
  })
  expect(readPastRuns(fixture.path, 'claude-code').get(entry.id)?.costUsd).toBeNull()
})

test('a package without reports knows nothing', async () => {
  await using fixture = await createFixture({})
  expect(readPastRuns(fixture.path, 'claude-code').size).toBe(0)
})
