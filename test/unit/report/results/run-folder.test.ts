import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createCaseFolder } from '../../../../src/report/results/case-folder.ts'
import { knownProvenance } from '../../../../src/report/results/provenance.ts'
import { createRedactor } from '../../../../src/gateway/redact.ts'
import { findLostRuns } from '../../../../src/report/results/past-runs.ts'
import {
  createRunId,
  endRun,
  isRunning,
  keepProvenance,
  readProvenance,
  readRunFolder,
  runsFolder,
  thisProcess,
} from '../../../../src/report/results/run-folder.ts'
import { createRunFolder, startRound, type PlannedRun } from '../../../../src/report/results/start-run.ts'
import { agentRun } from '../../../support/agent-run.ts'
import { plannedCase, runPlan } from '../../../support/case-result.ts'
import { writeRunFiles } from '../../../../src/report/results/write-evidence.ts'

const startedAt = new Date('2026-02-22T14:30:00.123Z')

function planned(): PlannedRun {
  const { cases, files, reports, options, versions } = runPlan([plannedCase('a')])
  return { cases, files, reports, options, versions }
}

test('keeps the plan of a run in a folder that git does not see', async () => {
  await using folder = await createFixture()
  const run = createRunId(startedAt)
  expect(run).toMatch(/^2026-02-22T14-30-00-123Z-[0-9a-f]{6}$/)
  const created = createRunFolder(folder.path, run, planned(), startedAt)
  expect(readdirSync(runsFolder(folder.path)).toSorted()).toEqual(['.gitignore', run])
  expect(readFileSync(join(runsFolder(folder.path), '.gitignore'), 'utf8')).toBe('*\n')
  expect(readdirSync(created.path).toSorted()).toEqual(['run.json'])
  expect(readRunFolder(created.path)).toEqual(created)
  expect(created.plan).toMatchObject({
    run,
    startedAt: '2026-02-22T14:30:00.123Z',
    rounds: [],
    cases: [plannedCase('a')],
  })
  expect(() => createRunFolder(folder.path, run, planned())).toThrow('is the folder of another run')
})

test('says where results cannot be kept', async () => {
  await using folder = await createFixture({ '.vitest': 'a file' })
  expect(() => createRunFolder(folder.path, createRunId(startedAt), planned())).toThrow(
    expect.objectContaining({ code: 'report-unwritable' }),
  )
})

test('a further pass replaces the plan', async () => {
  await using folder = await createFixture()
  const first = createRunFolder(folder.path, createRunId(startedAt), planned(), startedAt)
  const second = startRound(first, { ...planned(), cases: [plannedCase('b')] }, new Date('2026-02-22T14:40:00Z'))
  expect(readRunFolder(first.path)).toEqual(second)
  expect(second.plan).toMatchObject({
    rounds: ['2026-02-22T14:40:00.000Z'],
    cases: [plannedCase('b')],
    startedAt: startedAt.toISOString(),
  })
})

test('keeps the last 20 runs', async () => {
  await using folder = await createFixture()
  const runs = Array.from({ length: 23 }, (_, index) => {
    const run = createRunId(new Date(startedAt.getTime() + index * 1000))
    endRun(createRunFolder(folder.path, run, planned()).path, { status: 'complete', reports: [] })
    return run
  })
  mkdirSync(join(runsFolder(folder.path), 'notes of a person'))
  expect(readdirSync(runsFolder(folder.path)).toSorted()).toEqual(['.gitignore', ...runs.slice(3), 'notes of a person'])
})

test('removes the reports of an old run with it, and none that are somewhere else', async () => {
  await using folder = await createFixture({ 'elsewhere/2026-02-22T14-30-00Z.json': '{}' })
  await using outside = await createFixture({ 'evals/reports/2026-02-22T14-30-00Z.json': '{}' })
  const others = [
    folder.getPath('elsewhere/2026-02-22T14-30-00Z.json'),
    outside.getPath('evals/reports/2026-02-22T14-30-00Z.json'),
    folder.getPath('evals/reports/../reports/kept.json'),
  ]
  mkdirSync(folder.getPath('evals/reports'), { recursive: true })
  writeFileSync(folder.getPath('evals/reports/kept.json'), '{}')
  const reports = Array.from({ length: 23 }, (_, index) => {
    const report = folder.getPath(`evals/reports/2026-02-22T14-30-${10 + index}Z.json`)
    writeFileSync(report, '{}')
    const run = createRunId(new Date(startedAt.getTime() + index * 1000))
    endRun(createRunFolder(folder.path, run, planned()).path, { status: 'complete', reports: [report, ...others] })
    return report
  })
  expect(reports.filter((report) => !existsSync(report))).toEqual(reports.slice(0, 3))
  expect(others.filter((other) => !existsSync(other))).toEqual([])
})

test('keeps the report of an old run that Git tracks', async () => {
  await using folder = await createFixture({ 'evals/reports/2026-02-22T14-30-00Z.json': '{}' })
  const report = folder.getPath('evals/reports/2026-02-22T14-30-00Z.json')
  for (const words of [
    ['init', '-q'],
    ['add', '-f', report],
  ])
    execFileSync('git', words, { cwd: folder.path })
  for (let index = 0; index < 22; index++) {
    const run = createRunId(new Date(startedAt.getTime() + index * 1000))
    endRun(createRunFolder(folder.path, run, planned()).path, { status: 'complete', reports: [report] })
  }
  expect(existsSync(report)).toBe(true)
})

test('keeps the run of another process that may need it again, however old it is', async () => {
  await using folder = await createFixture()
  const watched = createRunFolder(folder.path, createRunId(startedAt), planned())
  const owner = { ...thisProcess(), pid: process.ppid, startTicks: null }
  writeFileSync(join(watched.path, 'run.json'), JSON.stringify({ ...watched.plan, process: owner }))
  endRun(watched.path, { status: 'complete', reports: [] })
  for (let index = 1; index <= 23; index++)
    createRunFolder(folder.path, createRunId(new Date(startedAt.getTime() + index * 1000)), planned())
  expect(existsSync(watched.path)).toBe(true)
})

test('finds runs whose process is gone, once', async () => {
  await using folder = await createFixture()
  const run = createRunFolder(folder.path, createRunId(startedAt), planned())
  expect(findLostRuns(folder.path)).toEqual([])

  const process = { pid: 2 ** 22 + 1, startTicks: '1', host: hostname() }
  writeFileSync(join(run.path, 'run.json'), JSON.stringify({ ...run.plan, process }))
  mkdirSync(join(runsFolder(folder.path), createRunId(startedAt)))
  expect(findLostRuns(folder.path).map(({ path }) => path)).toEqual([run.path])

  endRun(run.path, { status: 'recovered', reports: [] })
  expect(findLostRuns(folder.path)).toEqual([])
  expect(readdirSync(run.path).toSorted()).toEqual(['ended.json', 'run.json'])
})

test('a process id that was given out again is another process', () => {
  const own = thisProcess()
  expect(isRunning(own)).toBe(true)
  expect(isRunning({ ...own, host: `not-${own.host}` })).toBe(true)
  if (own.startTicks !== null) expect(isRunning({ ...own, startTicks: '1' })).toBe(false)
})

test('keeps provenance per package', async () => {
  await using folder = await createFixture()
  keepProvenance(folder.path, '/a', knownProvenance('4.1.12'))
  keepProvenance(folder.path, '/b', knownProvenance('5.1.1'))
  expect(readProvenance(folder.path, '/a')?.vitestVersion).toBe('4.1.12')
  expect(readProvenance(folder.path, '/c')).toBeNull()
  rmSync(join(folder.path, 'provenance.json'))
  expect(readProvenance(folder.path, '/a')).toBeNull()
})

test('gives every run of a case a folder of its own', async () => {
  await using folder = await createFixture()
  const root = folder.path.replace(/\/$/, '')
  const place = (part: Parameters<typeof plannedCase>[1], index = 1): string =>
    createCaseFolder(
      root,
      join(root, 'run'),
      plannedCase('a', { packageRoot: join(root, 'packages/review'), ...part }),
      index,
    ).relativePath
  expect(place({})).toBe('run/cases/packages/review/cases/a/claude-code.1')
  expect(place({})).toBe('run/cases/packages/review/cases/a/claude-code.1-2')
  expect(place({}, 2)).toBe('run/cases/packages/review/cases/a/claude-code.2')
  expect(place({ packageRoot: root })).toBe('run/cases/cases/a/claude-code.1')
  expect(place({ format: 'skill-evals', suite: 'skills/x/evals.json', id: 'skills/x/evals.json#../../A 1' })).toMatch(
    /^run\/cases\/packages\/review\/skills\/x\/evals\/A-1-[0-9a-f]{6}\/claude-code\.1$/,
  )
  expect(place({ packageRoot: '/elsewhere/pkg' })).not.toContain('..')
})

test('leaves prompt, transcript and metrics without secrets', async () => {
  await using folder = await createFixture()
  const run = createCaseFolder(folder.path, folder.path, plannedCase('a', { packageRoot: folder.path }), 1)
  const events = [
    { kind: 'tool-call', agent: null, id: 't1', tool: 'Bash', input: { command: 'env' } },
    { kind: 'tool-call', agent: null, id: 't2', tool: 'Bash', input: {} },
    { kind: 'message', agent: null, text: 'it is hunter2-hunter22' },
  ] as const
  const timedOut = agentRun(
    {
      status: 'timed-out',
      exitCode: null,
      durationMs: 61_237,
      stderrTail: 'hunter2-hunter22',
      otherRequests: [{ thread: 'side:compact', model: 'm', answer: 'hunter2-hunter22' }],
    },
    events,
  )
  writeRunFiles(run, 'print\nthe environment', timedOut, createRedactor({ API_KEY: 'hunter2-hunter22' }))

  const read = (name: string): string => readFileSync(join(run.path, name), 'utf8')
  expect(read('prompt.txt')).toBe('print\nthe environment')
  expect(read('transcript.jsonl').split('\n')[2]).toBe(
    '{"n":3,"from":"model","kind":"message","agent":null,"text":"it is [REDACTED:API_KEY]"}',
  )
  expect(JSON.parse(read('requests.json'))).toEqual([
    { thread: 'side:compact', model: 'm', answer: '[REDACTED:API_KEY]' },
  ])
  expect(JSON.parse(read('metrics.json'))).toEqual({
    elapsed_s: 61.24,
    return_code: -1,
    tool_calls: { Bash: 2 },
    total_tool_calls: 2,
    total_steps: 3,
    output_chars: 4,
    transcript_chars: read('transcript.jsonl').length,
    stderr_tail: '[REDACTED:API_KEY]',
  })
})
