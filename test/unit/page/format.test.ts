import { expect, test } from 'vitest'
import { age, bytes, costOf, dollars, interval, moment, percent, seconds, sourceOf } from '../../../src/page/format.ts'
import { plural } from '../../../src/lib/text.ts'

test.for([
  [null, 'n/a'],
  [0, '0%'],
  [0.004, '<1%'],
  [0.5, '50%'],
  [0.996, '99%'],
  [1, '100%'],
] as const)('the share %s reads %s', ([value, text]) => {
  expect(percent(value)).toBe(text)
})

test('durations, amounts and sizes have units, and what is unknown says so', () => {
  expect([0.25, 1.52, 42.4, 125, 7300, null].map(seconds)).toEqual([
    '250 ms',
    '1.5 s',
    '42 s',
    '2 min 5 s',
    '2 h 2 min',
    'n/a',
  ])
  expect([0, 0.004, 1.5, null].map(dollars)).toEqual(['$0.00', '$0.0040', '$1.50', 'unknown'])
  expect([12, 2048, 3_145_728, null].map(bytes)).toEqual(['12 B', '2.0 KB', '3.0 MB', 'n/a'])
  expect(interval([0.2, 0.94])).toBe('20–94%')
  expect(interval(null)).toBe('n/a')
  expect([plural(1, 'case'), plural(1200, 'case')]).toEqual(['1 case', '1,200 cases'])
})

test('a cost with an unknown part is never shown as complete', () => {
  expect(costOf({ cost_usd: 0.5, unknown_cost: 0 })).toBe('$0.50')
  expect(costOf({ cost_usd: 0.5, unknown_cost: 2 })).toBe('at least $0.50')
  expect(costOf({ cost_usd: 0, unknown_cost: 2 })).toBe('unknown')
})

test('a scenario never passes for a model', () => {
  const cached = false
  expect(sourceOf({ source: 'replay', scripted: true, cached })).toContain('no model')
  expect(sourceOf({ source: 'replay', scripted: false, cached })).toBe('replay of a recording')
  expect(sourceOf({ source: 'scenario', scripted: true, cached })).toContain('no model')
})

test('a case that was taken over says so beside its answers', () => {
  expect(sourceOf({ source: 'replay', scripted: false, cached: true })).toBe('replay of a recording, cached')
})

test('a recording has an age, and a moment is in UTC', () => {
  expect(age('2026-01-01T00:00:00Z', '2026-01-11T01:00:00Z')).toBe('10 days before this report')
  expect(age('never', '2026-01-11T01:00:00Z')).toBe('age unknown')
  expect(moment('2026-02-22T14:30:00.123Z')).toBe('2026-02-22 14:30:00 UTC')
})
