import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { readEarlierResults } from '../../../../src/report/fold/earlier-results.ts'
import { encodeEntry } from '../../../../src/report/results/journal.ts'
import { readOwnVersion } from '../../../../src/report/results/provenance.ts'
import { createRunFolder } from '../../../../src/report/results/start-run.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { caseResult, ended, plannedCase, runPlan } from '../../../support/case-result.ts'

const FIRST = '2026-02-22T14-30-00-000Z-aaaaaa'
const SECOND = '2026-02-22T15-30-00-000Z-bbbbbb'
const NOW = '2026-02-22T16-30-00-000Z-cccccc'

function keepRun(root: string, run: string, results: readonly CaseResult[], planned = results.length): void {
  keepNamed(root, run, results, ['a', 'b', 'c', 'd', 'e'].slice(0, planned))
}

function keepNamed(
  root: string,
  run: string,
  results: readonly CaseResult[],
  names: readonly string[] = results.map(({ name }) => name),
): void {
  const cases = names.map((name) => plannedCase(name))
  const { options, reports, versions } = runPlan([])
  const { path } = createRunFolder(root, run, {
    cases,
    files: [],
    options,
    reports,
    versions: { ...versions, agentEvals: readOwnVersion() },
  })
  writeFileSync(join(path, 'journal.1-0.jsonl'), results.map((result) => encodeEntry(ended(1, result))).join(''))
}

function interrupted(): readonly CaseResult[] {
  return [
    caseResult('a', { key: 'key of a' }),
    caseResult('b', { key: 'key of b', outcome: 'failed', reason: 'no' }),
    caseResult('c', { key: 'key of c', outcome: 'errored', error: { code: 'timed-out', message: '' } }),
  ]
}

test('takes over what passed or failed, at no cost, and says from where', async () => {
  await using folder = await createFixture()
  keepRun(folder.path, FIRST, interrupted(), 5)
  const { find } = readEarlierResults(folder.path, NOW)
  expect(find('key of a')).toEqual({
    ...interrupted()[0],
    runs: [{ ...interrupted()[0]?.runs[0], cost_usd: 0 }],
    reused_from: FIRST,
  })
  expect(find('key of b')).toMatchObject({ outcome: 'failed', reused_from: FIRST })
  expect(find('key of c')).toBeNull()
  expect(find('another key')).toBeNull()
})

test('the latest result counts, and keeps the name of the run that made it', async () => {
  await using folder = await createFixture()
  keepRun(folder.path, FIRST, interrupted(), 5)
  const again = [
    caseResult('a', { key: 'key of a', reused_from: FIRST }),
    caseResult('b', { key: 'key of b', agent_output_snippet: 'second' }),
  ]
  keepRun(folder.path, SECOND, again, 3)
  const { find } = readEarlierResults(folder.path, NOW)
  expect(find('key of a')?.reused_from).toBe(FIRST)
  expect(find('key of b')).toMatchObject({ agent_output_snippet: 'second', reused_from: SECOND })
})

test('a run whose every case has been decided since is nothing that could be resumed', async () => {
  await using folder = await createFixture()
  keepRun(folder.path, FIRST, interrupted(), 4)
  const rest = ['c', 'd'].map((name) => caseResult(name, { key: `key of ${name}` }))
  keepNamed(folder.path, SECOND, rest)
  expect(readEarlierResults(folder.path, NOW).find('key of a')).toBeNull()
})

test('a run that is not finished keeps its results, but for those that came out otherwise since', async () => {
  await using folder = await createFixture()
  keepRun(folder.path, FIRST, interrupted(), 5)
  keepNamed(folder.path, SECOND, [caseResult('a', { key: 'key of a' }), caseResult('b', { key: 'key of b' })])
  const { find } = readEarlierResults(folder.path, NOW)
  expect(find('key of a')).toMatchObject({ reused_from: FIRST })
  // It had failed.
  expect(find('key of b')).toBeNull()
})

test('the present run, complete ones, those of another version and broken folders offer nothing', async () => {
  await using folder = await createFixture()
  keepRun(folder.path, NOW, interrupted(), 5)
  expect(readEarlierResults(folder.path, NOW).find('key of a')).toBeNull()
  keepRun(folder.path, FIRST, interrupted().slice(0, 2))
  expect(readEarlierResults(folder.path, NOW).find('key of a')).toBeNull()

  const plan = join(folder.path, '.vitest/agent-evals', NOW, 'run.json')
  const text = readFileSync(plan, 'utf8')
  writeFileSync(plan, text.replace(/"agentEvals": "[^"]*"/, '"agentEvals": "0.0.1"'))
  expect(readEarlierResults(folder.path, SECOND).find('key of a')).toBeNull()
  writeFileSync(plan, '{')
  expect(readEarlierResults(folder.path, SECOND).find('key of a')).toBeNull()
})
