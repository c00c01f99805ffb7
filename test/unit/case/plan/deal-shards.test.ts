import { expect, test } from 'vitest'
import { createFileDealer, dealKeys } from '../../../../src/case/plan/deal-shards.ts'

function shards(keys: readonly string[], count: number): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, index) => [...dealKeys(keys, { index: index + 1, count })])
}

test('keys are dealt in turn in the order of their hashes, whatever order they are found in', () => {
  expect(shards(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([
    ['d', 'b', 'a'],
    ['c', 'e'],
  ])
  expect(shards(['e', 'c', 'a', 'd', 'b'], 2)).toEqual(shards(['a', 'b', 'c', 'd', 'e'], 2))
})

test('every key is in exactly one shard, and the shards differ by one at most', () => {
  const keys = Array.from({ length: 500 }, (_, n) => `c${n}`)
  const all = shards(keys, 16)
  expect(all.flat().toSorted()).toEqual(keys.toSorted())
  expect(new Set(all.map(({ length }) => length))).toEqual(new Set([31, 32]))
})

test('more shards than keys leave the last ones empty', () => {
  expect(shards(['x', 'y'], 4)).toEqual([['x'], ['y'], [], []])
})

test('files of tests are dealt, and each machine knows the hash of all of them', () => {
  const files = ['/repo/one.eval.ts', '/repo/two.eval.ts', '/repo/three.eval.ts']
  const [first, second] = [1, 2].map((index) => createFileDealer({ root: '/repo', shard: { index, count: 2 } }))
  const dealt = [first, second].map((dealer) => dealer?.deal(files) ?? [])
  expect(dealt.map(({ length }) => length)).toEqual([2, 1])
  expect(dealt.flat().toSorted()).toEqual(files.toSorted())
  expect(files.filter((file) => first?.leaves(file))).toEqual(dealt[1])
  expect(second?.hash()).toBe(first?.hash())
  expect(first?.describe({ units: { mine: 3, all: 5 } })).toBe('shard 1/2: 3 of 5 cases and 2 of 3 test files')
})

test('without a shard every file runs', () => {
  const dealer = createFileDealer({ root: '/repo', shard: null })
  expect(dealer.deal(['/repo/one.eval.ts'])).toEqual(['/repo/one.eval.ts'])
  expect([dealer.leaves('/repo/one.eval.ts'), dealer.describe({ units: null })]).toEqual([false, null])
})
