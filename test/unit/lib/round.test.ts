import { expect, test } from 'vitest'
import { resolveOptions } from '../../../src/options/resolve-options.ts'
import { hundredths, percent, thousandths } from '../../../src/lib/rates.ts'

test('a share is rounded to the nearest, and only the whole is 100%', () => {
  expect([2 / 3, 1 / 3, 0.995, 199 / 200, 1999 / 2000, 1].map(percent)).toEqual([
    '67%',
    '33%',
    '99%',
    '99%',
    '99%',
    '100%',
  ])
  expect([2 / 3, 199 / 200, 1].map(hundredths)).toEqual([0.67, 0.99, 1])
  expect([1999 / 2000, -1999 / 2000, -1].map(thousandths)).toEqual([0.999, -0.999, -1])
})

test('a threshold of 0, which everything reaches, is refused', () => {
  expect(() => resolveOptions({ passThreshold: 0 }, {})).toThrow('option `passThreshold` of agentEvals() is 0')
  expect(() => resolveOptions({}, { AGENT_EVALS_TRIGGER_THRESHOLD: '0' })).toThrow(
    'AGENT_EVALS_TRIGGER_THRESHOLD is "0"',
  )
})
