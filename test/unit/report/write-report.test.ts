import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createRedactor } from '../../../src/gateway/redact.ts'
import type { Report } from '../../../src/report/report.ts'
import {
  findReportProblem,
  writeReports,
  type ReportToWrite,
  type WriteReportOptions,
} from '../../../src/report/write-report.ts'
import { caseResult, reportOf } from '../../support/case-result.ts'

const report = (): Report => reportOf([caseResult('a', { agent_output_snippet: 'the key is hunter2-hunter22' })])

function write(root: string, engines: readonly string[], options: Partial<WriteReportOptions> = {}): readonly string[] {
  const reports: ReportToWrite[] = engines.map((engineName) => ({ report: report(), packageRoot: root, engineName }))
  const redactor = createRedactor({ API_KEY: 'hunter2-hunter22' })
  return writeReports(reports, { runFolder: root, redactor, ...options }).map(({ path, problem }) => {
    const place = path.slice(root.length + 1)
    return problem === null ? place : `${place} (${problem.code}: ${problem.message.replaceAll(root, '<root>')})`
  })
}

test('names reports by time, further engines and taken names', async () => {
  await using folder = await createFixture()
  const root = folder.path
  expect(write(root, ['claude-code', 'codex'])).toEqual([
    'evals/reports/2026-02-22T14-30-00Z.json',
    'evals/reports/2026-02-22T14-30-00Z.codex.json',
  ])
  expect(write(root, ['claude-code', 'codex'])).toEqual([
    'evals/reports/2026-02-22T14-30-00Z-2.json',
    'evals/reports/2026-02-22T14-30-00Z.codex-2.json',
  ])
  const text = readFileSync(join(root, 'evals/reports/2026-02-22T14-30-00Z.json'), 'utf8')
  expect(JSON.parse(text)).toMatchObject({ cases: [{ agent_output_snippet: 'the key is [REDACTED:API_KEY]' }] })
  expect(readdirSync(join(root, 'evals/reports'))).toHaveLength(4)
})

test('a path that was asked for is replaced, and further reports lie beside it', async () => {
  await using folder = await createFixture({ 'out.json': 'old' })
  const path = join(folder.path, 'out.json')
  const places = ['out.json', 'out.codex.json', 'out.codex-2.json']
  expect(write(folder.path, ['claude-code', 'codex', 'codex'], { path })).toEqual(places)
  expect(write(folder.path, ['claude-code', 'codex', 'codex'], { path })).toEqual(places)
  expect(readdirSync(folder.path).toSorted()).toEqual([...places].toSorted())
})

test('beside a path that was asked for, the report of another package names it', async () => {
  await using folder = await createFixture()
  const path = join(folder.path, 'out.json')
  const of = (packageName: string | null, packageRoot: string, engineName: string): ReportToWrite => {
    const written = report()
    return { report: { ...written, package: { ...written.package, name: packageName } }, packageRoot, engineName }
  }
  const reports = [
    of('first', '/first', 'claude-code'),
    of('@acme/tools', '/second', 'claude-code'),
    of('first', '/first', 'codex'),
    of('@acme/tools', '/second', 'codex'),
    of(null, '/packages/third', 'codex'),
    of('third', '/elsewhere/third', 'codex'),
  ]
  const written = writeReports(reports, { runFolder: folder.path, redactor: createRedactor({}), path })
  expect(written.map((one) => one.path.slice(folder.path.length + 1))).toEqual([
    'out.json',
    'out.acme-tools.json',
    'out.codex.json',
    'out.acme-tools.codex.json',
    'out.third.json',
    'out.third.codex.json',
  ])
})

test('a watching Vitest writes one file again', async () => {
  await using folder = await createFixture()
  const redactor = createRedactor({})
  const reports = [{ report: report(), packageRoot: folder.path, engineName: 'codex' }]
  const first = writeReports(reports, { runFolder: folder.path, redactor })
  const later = { ...report(), timestamp: '2026-02-22T15:00:00Z' }
  const second = writeReports([{ ...reports[0]!, report: later }], { runFolder: folder.path, redactor, rewrite: first })
  expect(second).toEqual(first)
  expect(JSON.parse(readFileSync(first[0]!.path, 'utf8'))).toMatchObject({ timestamp: '2026-02-22T15:00:00Z' })
})

test('R6: a place that cannot take it sends the report to the run folder', async () => {
  await using folder = await createFixture({ 'folder.json/x': '', evals: 'a file', 'target.json': 'keep' })
  const root = folder.path
  symlinkSync(join(root, 'target.json'), join(root, 'link.json'))
  mkdirSync(join(root, 'run'))
  const runFolder = join(root, 'run')
  const advice = 'Set another path with the option `report`, or make this one writable.'
  expect(write(root, ['codex'], { runFolder, path: join(root, 'folder.json') })).toEqual([
    `run/folder.json (report-unwritable: Cannot write the report to <root>/folder.json: it is a folder. ${advice})`,
  ])
  expect(write(root, ['codex'], { runFolder, path: join(root, 'link.json') })).toEqual([
    `run/link.json (report-unwritable: Cannot write the report to <root>/link.json: it is a symbolic link. ${advice})`,
  ])
  expect(write(root, ['codex'], { runFolder })).toEqual([
    `run/2026-02-22T14-30-00Z.json (report-unwritable: Cannot write the report to <root>/evals/reports/2026-02-22T14-30-00Z.json: a part of the path is not a folder. ${advice})`,
  ])
  expect(readFileSync(join(root, 'target.json'), 'utf8')).toBe('keep')
})

test('a taken name is left alone, whatever it is', async () => {
  await using folder = await createFixture({ 'evals/reports/2026-02-22T14-30-00Z.json/x': '' })
  symlinkSync('/nowhere', join(folder.path, 'evals/reports/2026-02-22T14-30-00Z-2.json'))
  expect(write(folder.path, ['codex'])).toEqual(['evals/reports/2026-02-22T14-30-00Z-3.json'])
})

test('R6: finds a problem before the run', async () => {
  await using folder = await createFixture({ file: '' })
  expect(findReportProblem(join(folder.path, 'new/deep/report.json'))).toBeNull()
  expect(findReportProblem(join(folder.path, 'file/report.json'))?.code).toBe('report-unwritable')
  writeFileSync(join(folder.path, 'report.json'), '')
  expect(findReportProblem(join(folder.path, 'report.json'))).toBeNull()
})
