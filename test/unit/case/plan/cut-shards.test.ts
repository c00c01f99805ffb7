import { expect, test } from 'vitest'
import { cutFiles, cutShards, describeCut, type ShardUnit } from '../../../../src/case/plan/cut-shards.ts'
import { sum } from '../../../../src/lib/lists.ts'

function units(times: Readonly<Record<string, number | null>>): readonly ShardUnit[] {
  return Object.entries(times).map(([key, seconds]) => ({ key, seconds }))
}

function shards(
  cases: readonly ShardUnit[],
  count: number,
  files: readonly ShardUnit[] = [],
): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, index) => [...cutShards({ cases, files }, { index: index + 1, count }).keys])
}

test('the longest comes first, each to the machine that has the least so far', () => {
  expect(shards(units({ a: 5, b: 70, c: 20, d: 30, e: 10 }), 2)).toEqual([['b'], ['a', 'c', 'd', 'e']])
})

test('cases without a time count as the median of the others', () => {
  const cases = units({ long: 9, short: 1, middle: 4, new: null })
  expect(shards(cases, 2)).toEqual([['long'], ['short', 'middle', 'new']])
  const cut = cutShards({ cases, files: [] }, { index: 2, count: 2 })
  expect([cut.unknown, cut.seconds]).toEqual([1, [9, 18]])
  expect(describeCut(cut, { index: 2, count: 2 }, 'times.json')).toBe(
    'shard 2/2: 3 of 4 cases, about 9.0 s of 18 s by times.json; 1 without a time counts as the median',
  )
  expect(cutShards({ cases: units({ a: 1, b: 2, c: null }), files: [] }, { index: 1, count: 2 }).seconds[1]).toBe(4.5)
})

test('where no time is known all count the same, in the order of their keys', () => {
  const cases = units({ c: null, a: null, e: null, b: null, d: null })
  expect(shards(cases, 2)).toEqual([
    ['c', 'a', 'e'],
    ['b', 'd'],
  ])
  expect(
    describeCut(cutShards({ cases, files: [] }, { index: 1, count: 2 }), { index: 1, count: 2 }, 'recordings'),
  ).toBe('shard 1/2: 3 of 5 cases, all counted the same: recordings have no time of them')
})

test('ties are settled by key, and the order in which cases are found changes nothing', () => {
  const cases = units({ b: 3, a: 3, d: 3, c: 3 })
  expect(shards(cases, 2).map((keys) => keys.toSorted())).toEqual([
    ['a', 'c'],
    ['b', 'd'],
  ])
  const one = cutShards({ cases, files: [] }, { index: 1, count: 2 })
  const other = cutShards({ cases: cases.toReversed(), files: [] }, { index: 2, count: 2 })
  expect(other.hash).toBe(one.hash)
})

test('files of tests are cut by the same rule, and cases fill up what they leave', () => {
  const files = units({ 'slow.eval.ts': 50, 'fast.eval.ts': 10, 'new.eval.ts': null })
  expect(Object.fromEntries(cutFiles(files, 2))).toEqual({ 'slow.eval.ts': 1, 'new.eval.ts': 2, 'fast.eval.ts': 2 })
  expect(shards(units({ a: 20, b: 20 }), 2, files)).toEqual([['b'], ['a']])
  const cut = cutShards({ cases: units({ a: 20, b: 20 }), files }, { index: 1, count: 2 })
  expect([cut.files, cut.seconds]).toEqual([
    [1, 3],
    [70, 130],
  ])
})

test('every case is in exactly one shard, and each machine has the same hash, other than by other times', () => {
  const cases = units(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`c${n}`, (n * 7919) % 300])))
  const all = shards(cases, 16).flat()
  expect(all.toSorted()).toEqual(cases.map(({ key }) => key).toSorted())
  const hashes = [1, 7, 16].map((index) => cutShards({ cases, files: [] }, { index, count: 16 }).hash)
  expect(new Set(hashes).size).toBe(1)
  const [first, ...rest] = cases
  const changed = [{ key: first?.key ?? '', seconds: 1 }, ...rest]
  expect(cutShards({ cases: changed, files: [] }, { index: 1, count: 16 }).hash).not.toBe(hashes[0])
  expect(cutShards({ cases: rest, files: [] }, { index: 1, count: 16 }).hash).not.toBe(hashes[0])
  const totals = shards(cases, 16).map((keys) =>
    sum(cases.filter(({ key }) => keys.includes(key)).map(({ seconds }) => seconds ?? 0)),
  )
  expect(Math.max(...totals) / (sum(totals) / 16)).toBeLessThan(1.02)
})

test('more shards than cases leave the last ones empty', () => {
  expect(shards(units({ x: 2, y: 1 }), 4)).toEqual([['x'], ['y'], [], []])
})
