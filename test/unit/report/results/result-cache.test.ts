import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import {
  openResultCache,
  prepareCache,
  usualCacheFolder,
  type ResultCache,
} from '../../../../src/report/results/result-cache.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { erroredJudge } from '../../../../src/judges/judgement.ts'
import { sha256 } from '../../../../src/lib/sha256.ts'
import { caseResult, plannedCase, type ResultParts } from '../../../support/case-result.ts'

const RUN = '2026-02-22T14-30-00-000Z-aaaaaa'
const PLANNED = plannedCase('a')
const DAY = 24 * 3_600_000

interface Place {
  readonly root: string
  readonly folder: string
  open(daysLater?: number): ResultCache
  file(): string
}

async function place(): Promise<Place> {
  const fixture = await createFixture()
  onTestFinished(() => fixture.rm())
  const root = fixture.path.replace(/\/$/, '')
  const folder = usualCacheFolder(root)
  expect(prepareCache({ root, folder })).toBeNull()
  const begun = Date.parse(replayed().startedAt)
  return {
    root,
    folder,
    open: (daysLater = 0) => openResultCache(RUN, { root, folder, now: () => new Date(begun + daysLater * DAY) }),
    file: () => join(folder, readdirSync(folder).find((name) => name.endsWith('.json')) ?? ''),
  }
}

function judgedFor(costUsd: number | null): NonNullable<CaseResult['judge']> {
  return { ...erroredJudge('judge-failed', ''), result: 'passed', error: null, requests: 1, costUsd }
}

function runJudgedFor(costUsd: number | null): CaseResult['runs'][number] {
  const verdict = { outcome: 'passed', reason: null, checks: [], judge: judgedFor(costUsd) } as const
  return { ...replayed().runs[0]!, verdict }
}

function replayed(part: ResultParts = {}): CaseResult {
  return caseResult('a', { source: 'replay', costUsd: 0, ...part })
}

test('a result is found by its key, costs nothing and has the time of its run', async () => {
  const { open } = await place()
  open().keep('k', replayed())
  expect(open().find('k', { ...PLANNED, at: { line: 7, column: 1 } })).toMatchObject({
    cached: true,
    reused_from: RUN,
    startedAt: replayed().startedAt,
    at: { line: 7, column: 1 },
    runs: [{ folder: null, cost_usd: 0 }],
    notices: [expect.stringContaining('--no-cache')],
  })
  expect(open().find('another', PLANNED)).toBeNull()
  expect(open().find('k', plannedCase('b'))).toBeNull()
})

test.for<readonly [string, ResultParts]>([
  ['failed', { outcome: 'failed' }],
  ['was errored', { outcome: 'errored' }],
  ['was skipped', { outcome: 'skipped' }],
  ['was live', { source: 'live' }],
  ['was recorded', { source: 'record' }],
  ['cost something', { costUsd: 0.01 }],
  ['was judged for money', { judge: judgedFor(0.01) }],
  ['was judged at an unknown price', { judge: judgedFor(null) }],
  ['was judged for money in one of its runs', { runs: [runJudgedFor(0.01)] }],
  ['was taken over', { reused_from: RUN }],
])('nothing is kept of a case that %s', async ([, part]) => {
  const { open } = await place()
  open().keep('k', replayed(part))
  expect(open().find('k', PLANNED)).toBeNull()
})

test('a result may be taken over again and again', async () => {
  const { open } = await place()
  open().keep('k', replayed())
  for (let time = 0; time < 3; time += 1) {
    const found = open().find('k', PLANNED)
    expect(found).toMatchObject({ cached: true, reused_from: RUN })
    open().keep('k', found!)
  }
})

test('what was judged for nothing is kept', async () => {
  const { open } = await place()
  open().keep('k', replayed({ judge: judgedFor(0), runs: [runJudgedFor(0)] }))
  expect(open().find('k', PLANNED)).not.toBeNull()
})

test('a case that fails with the same input is not believed any more', async () => {
  const { open } = await place()
  open().keep('k', replayed())
  open().keep('other', replayed({ outcome: 'failed' }))
  expect(open().find('k', PLANNED)).not.toBeNull()
  open().keep('k', replayed({ outcome: 'failed' }))
  expect(open().find('k', PLANNED)).toBeNull()
})

test('a result is believed for seven days, and never one of the future', async () => {
  const { open } = await place()
  open().keep('k', replayed())
  expect(open(6.99).find('k', PLANNED)).not.toBeNull()
  expect(open(7.01).find('k', PLANNED)).toBeNull()
  expect(open(-1).find('k', PLANNED)).toBeNull()
})

test('the age of a result is taken when it is looked for, in a process that lives for days', async () => {
  const { root, folder } = await place()
  const begun = Date.parse(replayed().startedAt)
  let days = 0
  const cache = openResultCache(RUN, { root, folder, now: () => new Date(begun + days * DAY) })
  cache.keep('k', replayed())
  days = 8
  expect(cache.find('k', PLANNED)).toBeNull()
  cache.keep('k', replayed({ startedAt: new Date(begun + days * DAY).toISOString() }))
  expect(cache.find('k', PLANNED)).not.toBeNull()
})

test('an entry with a wrong hash is ignored', async () => {
  const { open, file } = await place()
  open().keep('k', replayed({ agent_output_snippet: 'honest' }))
  writeFileSync(file(), readFileSync(file(), 'utf8').replace('honest', 'forged'))
  expect(open().find('k', PLANNED)).toBeNull()
  writeFileSync(file(), '')
  expect(open().find('k', PLANNED)).toBeNull()
})

test.for<readonly [string, (entry: Record<string, unknown>) => unknown]>([
  ['no result', (entry) => ({ ...entry, result: null })],
  ['a result that failed', (entry) => ({ ...entry, result: { ...replayed(), outcome: 'failed' } })],
  ['a result of a model', (entry) => ({ ...entry, result: { ...replayed(), source: 'live' } })],
  ['a result without lists', (entry) => ({ ...entry, result: { ...replayed(), runs: {}, notices: null } })],
  ['runs that are none', (entry) => ({ ...entry, result: { ...replayed(), runs: [null] } })],
  ['a run whose name moves the cursor', (entry) => ({ ...entry, run: '2026-02-22T14\u001B[2J' })],
  ['no entry at all', () => []],
])('an entry whose hash is right and that holds %s is ignored', async ([, forge]) => {
  const { open, file } = await place()
  open().keep('k', replayed())
  const body = JSON.stringify(forge(JSON.parse(readFileSync(file(), 'utf8').split('\n')[1]!)))
  writeFileSync(file(), `${sha256(body)}\n${body}\n`)
  expect(open().find('k', PLANNED)).toBeNull()
})

test('an entry that is a link is ignored', async () => {
  const { open, file, root } = await place()
  open().keep('k', replayed())
  const [path, copy] = [file(), join(root, 'copy')]
  writeFileSync(copy, readFileSync(path))
  rmSync(path)
  symlinkSync(copy, path)
  expect(open().find('k', PLANNED)).toBeNull()
})

test.skipIf(process.getuid?.() !== 0)('an entry or a folder of another user is ignored', async () => {
  const { open, file, root, folder } = await place()
  open().keep('k', replayed())
  chownSync(file(), 1234, 1234)
  expect(open().find('k', PLANNED)).toBeNull()
  chownSync(folder, 1234, 1234)
  expect(prepareCache({ root, folder })).toContain('another user')
})

test('what a repository brings is no cache', async () => {
  const { root, folder } = await place()
  writeFileSync(join(folder, 'entry.json'), '{}')
  for (const words of [
    ['init', '-q'],
    ['add', '-f', join(folder, 'entry.json')],
  ])
    execFileSync('git', words, { cwd: root })
  expect(prepareCache({ root, folder })).toContain('belongs to the repository')
})

test('a folder behind a link is no cache', async () => {
  const { root } = await place()
  symlinkSync('/tmp', join(root, 'linked'))
  expect(prepareCache({ root, folder: join(root, 'linked') })).toContain('is a link')
})
