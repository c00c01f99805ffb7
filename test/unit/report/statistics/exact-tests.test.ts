import { expect, test } from 'vitest'
import {
  FEWEST_PAIRS,
  fisherTest,
  isTooFewForFisher,
  isTooFewForSignTest,
  signTest,
} from '../../../../src/report/statistics/tests.ts'

test.each([
  // Twice the tail of the binomial distribution.
  [0, 0, 1],
  [1, 0, 1],
  [5, 0, 0.0625],
  [6, 0, 0.03125],
  [8, 1, 0.0390625],
  [1, 8, 0.0390625],
  [7, 3, 0.34375],
  [60, 40, 0.05688793],
])('the sign test of %i better and %i worse', (better, worse, p) => {
  expect(signTest(better, worse)).toBeCloseTo(p, 7)
})

test('it takes six pairs to find anything', () => {
  expect(FEWEST_PAIRS).toBe(6)
  expect([5, 6].map(isTooFewForSignTest)).toEqual([true, false])
})

test.each([
  // Tables that are as unlikely or more so, of all with these margins.
  [[3, 3], [0, 3], 2 / 20],
  [[4, 4], [0, 4], 2 / 70],
  [[8, 10], [2, 10], 4252 / 184_756],
  [[2, 5], [4, 5], 110 / 210],
  [[0, 0], [3, 5], 1],
] as const)('the exact test of Fisher of %j and %j', ([a, m], [b, n], p) => {
  expect(fisherTest({ passed: a, completed: m }, { passed: b, completed: n })).toBeCloseTo(p, 7)
})

test('three runs on each side are too few to tell anything', () => {
  expect([isTooFewForFisher(3, 3), isTooFewForFisher(4, 4), isTooFewForFisher(1, 100)]).toEqual([true, false, false])
})
