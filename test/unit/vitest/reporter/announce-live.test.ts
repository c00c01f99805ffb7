import { expect, test } from 'vitest'
import { describeCosts, type LiveCase } from '../../../../src/vitest/reporter/announce-live.ts'

test('says what live cases cost before, and what nobody knows', () => {
  expect(describeCosts([once(0.1), once(0.32)])).toBe('agent-evals: 2 cases go live; about $0.42 by the last reports')
  expect(describeCosts([once(0.1), once(null)])).toBe(
    'agent-evals: 2 cases go live, 1 of them of unknown cost; about $0.10 by the last reports',
  )
  expect(describeCosts([once(null)])).toBe(
    'agent-evals: 1 case goes live; what that costs is not known, no report has its price',
  )
})

test('counts every arm and every run', () => {
  expect(
    describeCosts([
      { ...once(0.3), runs: 3 },
      { runs: 3, costUsd: 0.6, arm: 'without_skill' },
    ]),
  ).toBe('agent-evals: 2 cases go live, 1 of them without the skill, in 6 runs; about $0.90 by the last reports')
})

function once(costUsd: number | null): LiveCase {
  return { runs: 1, costUsd, arm: 'with_skill' }
}
