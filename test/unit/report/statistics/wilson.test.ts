import { expect, test } from 'vitest'
import { countConfusion } from '../../../../src/report/statistics/tests.ts'
import { wilsonInterval } from '../../../../src/lib/rates.ts'

const rounded = (successes: number, trials: number): readonly number[] | undefined =>
  wilsonInterval(successes, trials)?.map((share) => Math.round(share * 10_000) / 10_000)

test('the interval is the published one', () => {
  expect(rounded(0, 3)).toEqual([0, 0.5615])
  expect(rounded(3, 3)).toEqual([0.4385, 1])
  expect(rounded(2, 3)).toEqual([0.2077, 0.9385])
  expect(rounded(50, 100)).toEqual([0.4038, 0.5962])
  expect(wilsonInterval(0, 0)).toBeNull()
})

test('confusion counts runs, and knows nothing of what never happened', () => {
  expect(
    countConfusion([
      { should_trigger: true, fired: 2, completed: 3 },
      { should_trigger: false, fired: 1, completed: 2 },
    ]),
  ).toEqual({
    truePositives: 2,
    falseNegatives: 1,
    falsePositives: 1,
    trueNegatives: 1,
    precision: 2 / 3,
    recall: 2 / 3,
  })
  expect(countConfusion([{ should_trigger: false, fired: 0, completed: 3 }])).toMatchObject({
    precision: null,
    recall: null,
  })
})
