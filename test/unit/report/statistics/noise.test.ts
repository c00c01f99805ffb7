import { expect, test } from 'vitest'
import { measureNoise } from '../../../../src/report/statistics/tests.ts'

test('nothing is said where no case was run twice', () => {
  expect(measureNoise([{ passed: 1, completed: 1 }])).toBeNull()
})

test('cases that never flip make no noise', () => {
  expect(measureNoise([tally(2, 2), tally(0, 3), tally(1, 1)])).toEqual({
    cases: 2,
    flipped: 0,
    disagreement: 0,
    floor: 0,
  })
})

test('the chance of a difference is that of two runs drawn from a case', () => {
  expect(measureNoise([tally(1, 2)])).toEqual({ cases: 1, flipped: 1, disagreement: 1, floor: 1 })
  // Of the six pairs of four runs with one pass, three differ.
  expect(measureNoise([tally(1, 4), tally(4, 4)])?.disagreement).toBeCloseTo(0.25, 12)
})

test('the floor is what 95 of 100 pairs of passes stay within', () => {
  // Four coins that surely differ: the sum is 0 in 6 of 16, at most 2 in 14 of 16, at most 4 always.
  expect(measureNoise(Array.from({ length: 4 }, () => tally(1, 2)))?.floor).toBe(1)
  // Of forty the sum is at most 12 in 96.2 of 100, at most 10 in 91.9.
  const tallies = Array.from({ length: 40 }, () => tally(1, 2))
  expect(measureNoise(tallies)?.floor).toBeCloseTo(12 / 40, 12)
})

function tally(passed: number, completed: number): { readonly passed: number; readonly completed: number } {
  return { passed, completed }
}
