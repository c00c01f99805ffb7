import { expect, test } from 'vitest'
import { passAll, passAt } from '../../../src/lib/rates.ts'

test('pass@k and pass^k are the shares of all choices of k runs', () => {
  const runs = [true, true, false, false, false]
  for (const k of [1, 2, 3, 4, 5]) {
    const choices = choose(runs, k)
    const share = (holds: (choice: readonly boolean[]) => boolean): number =>
      choices.filter(holds).length / choices.length
    expect(passAt(k, 2, 5)).toBeCloseTo(
      share((choice) => choice.some(Boolean)),
      12,
    )
    expect(passAll(k, 2, 5)).toBeCloseTo(
      share((choice) => choice.every(Boolean)),
      12,
    )
  }
})

test('nothing is said of more runs than were completed', () => {
  expect(passAt(3, 2, 2)).toBeNull()
  expect(passAll(1, 0, 0)).toBeNull()
  expect([passAt(3, 0, 3), passAll(3, 0, 3), passAt(3, 3, 3), passAll(3, 3, 3)]).toEqual([0, 0, 1, 1])
})

function choose<T>([first, ...rest]: readonly T[], count: number): readonly (readonly T[])[] {
  if (count === 0) return [[]]
  if (first === undefined) return []
  return [...choose(rest, count - 1).map((choice) => [first, ...choice]), ...choose(rest, count)]
}
