import { describe, expect, test } from 'vitest'
import { findMissingShards, mergeProvenance } from '../../../../src/report/fold/other-runs.ts'
import { knownProvenance } from '../../../../src/report/results/provenance.ts'

describe('the shards of a run', () => {
  const plan = (run: string, shard: object | null): { run: string; options: Record<string, never> } => ({
    run,
    options: { shard } as unknown as Record<string, never>,
  })

  test('all of them, or a run that was not cut, lack nothing', () => {
    expect(findMissingShards([plan('a', { index: 2, count: 2 }), plan('b', { index: 1, count: 2 })])).toBeNull()
    expect(findMissingShards([plan('a', null), plan('b', null)])).toBeNull()
  })

  test('one that was run twice stands for itself', () => {
    const shards = [1, 1, 2].map((index, n) => plan(`r${n}`, { index, count: 2 }))
    expect(findMissingShards(shards)).toBeNull()
  })

  test('those that are missing are named', () => {
    expect(findMissingShards([plan('a', { index: 2, count: 3 })])).toEqual({
      shards: ['1/3', '3/3'],
      remark: 'The shards 1/3, 3/3 of this run are missing; their cases are not in the report.',
    })
  })

  test.for([
    [{ index: 1, count: 2 }, { index: 1, count: 3 }, 'a is shard 1/2, b is shard 1/3'],
    [{ index: 1, count: 2 }, null, 'a is shard 1/2, b is a whole run'],
  ] as const)('%j and %j are not parts of one', ([first, second, words]) => {
    expect(() => findMissingShards([plan('a', first), plan('b', second)])).toThrow(
      `These runs are not parts of one run: ${words}.`,
    )
  })
})

test('shards that planned different cases or test files are not parts of one run', () => {
  const shard = (index: number, plan: string, dealtFiles = 'f'): Parameters<typeof findMissingShards>[0][number] => ({
    run: `r${index}`,
    plan,
    dealtFiles,
    options: { shard: { index, count: 2 } },
  })
  expect(findMissingShards([shard(1, 'same'), shard(2, 'same')])).toBeNull()
  expect(() => findMissingShards([shard(1, 'one'), shard(2, 'two')])).toThrow(
    'The shards planned different cases, so these runs are not parts of one run: r1 has one, r2 has two. Start each shard with the same filters and options, on the same commit.',
  )
  expect(() => findMissingShards([shard(1, 'same'), shard(2, 'same', 'g')])).toThrow(
    'The shards planned different test files, so these runs are not parts of one run: r1 has f, r2 has g.',
  )
})

describe('what several machines have in common', () => {
  const one = { ...knownProvenance('4.1.12'), os: 'linux', git: { commit: 'abc', dirty: false } }

  test('is said once; where they differ all are named', () => {
    const { provenance, remark } = mergeProvenance([
      one,
      { ...one, os: 'darwin', pythonVersion: '3.12.1', git: { commit: 'abc', dirty: true } },
    ])
    expect(provenance).toMatchObject({
      os: 'darwin, linux',
      vitestVersion: '4.1.12',
      pythonVersion: '3.12.1',
      git: { commit: 'abc', dirty: true },
    })
    expect(remark).toBeNull()
  })

  test('two revisions are none, and the report says so', () => {
    const { provenance, remark } = mergeProvenance([one, { ...one, git: { commit: 'def', dirty: false } }])
    expect(provenance.git).toBeNull()
    expect(remark).toBe('The machines ran different revisions: abc, def.')
  })
})
