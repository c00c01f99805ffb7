import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/lib/json.ts'
import { encodeEntry, type JournalEntry } from '../../../../src/report/results/journal.ts'
import { recoverRuns } from '../../../../src/report/fold/other-runs.ts'
import { createRedactor } from '../../../../src/gateway/redact.ts'
import { createRunId } from '../../../../src/report/results/run-folder.ts'
import { createRunFolder } from '../../../../src/report/results/start-run.ts'
import { caseResult, ended, plannedCase, runPlan, started } from '../../../support/case-result.ts'

const redactor = createRedactor({})

function loseRun(root: string, entries: readonly JournalEntry[], options: JsonObject = {}): string {
  const part = { packageRoot: root }
  const { versions } = runPlan([])
  const nothing = { packageName: null, packageVersion: null, judge: null, timeout: null }
  const report = { ...part, engineName: 'claude-code', ...nothing }
  const cases = ['a', 'b', 'c'].map((name) => plannedCase(name, part))
  const run = createRunFolder(root, createRunId(new Date()), { cases, files: [], reports: [report], options, versions })
  const process = { pid: 2 ** 22 + 1, startTicks: '1', host: hostname() }
  writeFileSync(
    join(run.path, 'run.json'),
    JSON.stringify({ ...run.plan, startedAt: '2026-02-22T14:30:00.123Z', process }),
  )
  writeFileSync(join(run.path, 'journal.7-0.jsonl'), `${entries.map(encodeEntry).join('')}{"crc":"torn`)
  return run.path
}

test('reports what a killed run had finished, once', async () => {
  await using folder = await createFixture()
  const part = { packageRoot: folder.path }
  const path = loseRun(folder.path, [ended(4, caseResult('a', part)), started(5, plannedCase('b', part))])
  const [recovered] = recoverRuns(folder.path, redactor)
  const file = join(folder.path, 'evals/reports/2026-02-22T14-30-00Z.json')
  expect(recovered).toEqual({
    path,
    written: [{ packageRoot: folder.path, engineName: 'claude-code', path: file, problem: null }],
    problem: null,
  })

  const report = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly { name: string; verdict: string }[] }
  expect(report).toMatchObject({
    status: 'recovered',
    duration_seconds: 5,
    summary: { total: 3, passed: 1, errored: 1, skipped: 1, cost_usd: 0.02, unknown_cost_cases: 1 },
    environment: { node_version: '20.20.2', python_version: null },
    notices: ['Torn or damaged journal lines that were skipped: 1.'],
  })
  expect(report.cases.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(['a PASS', 'b ERROR', 'c SKIP'])
  expect(recoverRuns(folder.path, redactor)).toEqual([])
})

test('a run that had finished nothing leaves no report, and is named once', async () => {
  await using folder = await createFixture()
  const path = loseRun(folder.path, [started(1, plannedCase('a', { packageRoot: folder.path }))])
  expect(recoverRuns(folder.path, redactor)).toEqual([{ path, written: [], problem: null }])
  expect(recoverRuns(folder.path, redactor)).toEqual([])
  expect(await folder.exists('evals')).toBe(false)
})

test('R8: two starts at once recover a lost run once, and one that was killed while it did does not keep it', async () => {
  await using folder = await createFixture()
  const path = loseRun(folder.path, [ended(4, caseResult('a', { packageRoot: folder.path }))])
  const parent = { pid: process.ppid, startTicks: null, host: hostname() }
  writeFileSync(join(path, 'recovered-by.json'), JSON.stringify(parent))
  expect(recoverRuns(folder.path, redactor)).toEqual([])

  writeFileSync(join(path, 'recovered-by.json'), JSON.stringify({ ...parent, pid: 2 ** 22 + 1 }))
  expect(recoverRuns(folder.path, redactor)).toHaveLength(1)
})

test('R8: a run folder that cannot be read is a remark, not the end of the new run', async () => {
  await using folder = await createFixture()
  const path = loseRun(folder.path, [])
  rmSync(join(path, 'journal.7-0.jsonl'))
  mkdirSync(join(path, 'journal.7-0.jsonl'))
  expect(recoverRuns(folder.path, redactor)).toEqual([
    { path, written: [], problem: `${join(path, 'journal.7-0.jsonl')} is a folder` },
  ])
})

test('a run that was to leave no report keeps it in its own folder when it is lost', async () => {
  await using folder = await createFixture()
  const path = loseRun(folder.path, [ended(4, caseResult('a', { packageRoot: folder.path }))], { report: false })
  expect(recoverRuns(folder.path, redactor)[0]?.written.map((written) => written.path)).toEqual([
    join(path, 'report.json'),
  ])
})
