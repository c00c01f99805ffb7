import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { readShardTimes, type ShardTimes } from '../../../../src/case/plan/expected-times.ts'

async function read(text: string): Promise<ShardTimes> {
  await using fixture = await createFixture({ 'times.json': text })
  return readShardTimes(fixture.getPath('times.json'))
}

async function refusal(text: string): Promise<string> {
  const error: unknown = await read(text).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'invalid-options' })
  return (error as Error).message.replace(
    /^The file of times, which shardTimes names, is of no use: \S*\/times\.json:/,
    '',
  )
}

test('seconds by id', async () => {
  const times = await read('{ "evals/cases/a.yaml#a": 12.5, "__proto__": 3, "evals/b.eval.ts": 0, "new": null }')
  expect([...times]).toEqual([
    ['evals/cases/a.yaml#a', 12.5],
    ['__proto__', 3],
    ['evals/b.eval.ts', 0],
  ])
})

test('a report: the time of the runs of each case, by its path from the root', async () => {
  const common = { suite: 'evals/cases/a.yaml', file: 'packages/one/evals/cases/a.yaml', verdict: 'PASS' }
  const cases = [
    {
      ...common,
      id: 'evals/cases/a.yaml#a',
      duration_seconds: 40,
      runs: [{ duration_seconds: 3 }, { duration_seconds: 4 }],
    },
    { ...common, id: 'evals/cases/a.yaml#b', duration_seconds: 2, runs: [] },
    { ...common, id: 'evals/cases/a.yaml#c', duration_seconds: 0, runs: [], verdict: 'SKIP' },
    { id: 'foreign', verdict: 'FAIL', duration_seconds: 7 },
    { id: 'without', verdict: 'FAIL' },
  ]
  expect(Object.fromEntries(await read(JSON.stringify({ version: 1, cases })))).toEqual({
    'packages/one/evals/cases/a.yaml#a': 7,
    'packages/one/evals/cases/a.yaml#b': 2,
    foreign: 7,
  })
})

test.for([
  ['{\n  "a": 1,\n  "b": "2"\n}', '3:8 b: expected seconds, from 0 to 31536000.'],
  ['{ "a": -1 }', '1:8 a: expected seconds, from 0 to 31536000.'],
  ['{ "a": 1e999 }', '1:8 a: expected seconds, from 0 to 31536000.'],
  ['{ "a": [1] }', '1:8 a: expected seconds, from 0 to 31536000.'],
  ['[1]', '1:1 expected a report, or an object of seconds by id of the case.'],
  ['7', '1:1 expected a report, or an object of seconds by id of the case.'],
  ['', '1:1 no times in the file: it is empty or contains only comments.'],
  ['{ "a": 1\n  "b": 2 }', '2:3 expected "," or "}" in this object.'],
  ['{ "cases": [{ "id": 3 }] }', '1:21 cases.0.id: expected the id of a case.'],
  ['{ "cases": [\n 5] }', '2:2 cases.0: expected a case of a report.'],
  [
    '{ "cases": [{ "id": "a", "duration_seconds": 1,\n  "runs": [{ "duration_seconds": "x" }] }] }',
    '2:34 cases.0.runs.0.duration_seconds: expected seconds, from 0 to 31536000.',
  ],
] as const)('%j is refused with its place', async ([text, message]) => {
  expect(await refusal(text)).toBe(message)
})

test('a large file is read, and its mistake is found as well', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, n) => [`evals/cases/some-suite.yaml#case-${n}`, n]),
  )
  expect((await read(JSON.stringify(many))).size).toBe(60_000)
  expect(await refusal(JSON.stringify({ ...many, wrong: true }, null, 1))).toBe(
    '60002:11 wrong: expected seconds, from 0 to 31536000.',
  )
})

test('nesting without end, and what is no file, are refused', async () => {
  expect(await refusal(`{"a":${'['.repeat(100_000)}`)).toMatch(/^1:37 nested deeper than 32 levels/)
  await using fixture = await createFixture({ folder: {} })
  expect(() => readShardTimes(fixture.getPath('none.json'))).toThrow('There is no file of times at')
  expect(() => readShardTimes(fixture.getPath('folder'))).toThrow('Cannot read the file of times:')
})
