import { expect, test } from 'vitest'
import { describeCosts } from '../../../../src/vitest/reporter/announce-live.ts'

test('says what live cases cost before, and what nobody knows', () => {
  expect(describeCosts([0.1, 0.32])).toBe('agent-evals: 2 cases go live; about $0.42 by the last reports')
  expect(describeCosts([0.1, null])).toBe(
    'agent-evals: 2 cases go live, 1 of them of unknown cost; about $0.10 by the last reports',
  )
  expect(describeCosts([null])).toBe(
    'agent-evals: 1 case goes live; what that costs is not known, no report has its price',
  )
})
