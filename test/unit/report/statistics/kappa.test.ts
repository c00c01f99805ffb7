import { expect, test } from 'vitest'
import { kappaInterval } from '../../../../src/report/statistics/tests.ts'

test('agreement beyond chance, with the interval that resampling gives too (standard error 0.128)', () => {
  const kappa = kappaInterval({ bothPass: 20, bothFail: 15, judgePassed: 5, judgeFailed: 10 })
  expect(kappa?.value).toBeCloseTo(0.4, 10)
  expect(kappa?.interval.map((end) => Number(end.toFixed(3)))).toEqual([0.151, 0.649])
})

test('whole agreement is 1, and the opposite less than chance', () => {
  expect(kappaInterval({ bothPass: 10, bothFail: 10, judgePassed: 0, judgeFailed: 0 })).toEqual({
    value: 1,
    interval: [1, 1],
  })
  expect(kappaInterval({ bothPass: 0, bothFail: 0, judgePassed: 10, judgeFailed: 10 })?.value).toBe(-1)
})

test('it is not defined where only one answer was ever given', () => {
  expect(kappaInterval({ bothPass: 25, bothFail: 0, judgePassed: 0, judgeFailed: 0 })).toBeNull()
  expect(kappaInterval({ bothPass: 0, bothFail: 0, judgePassed: 0, judgeFailed: 0 })).toBeNull()
})
