import { expect, test } from 'vitest'
import { describeCosts, type LiveCase } from '../../../../src/vitest/reporter/announce-live.ts'

const REST = 'at most $10.00 (AGENT_EVALS_MAX_COST_USD); AGENT_EVALS_SOURCE=replay never spends'

test('says what live cases cost before, what is unknown, what limits it and how never to spend', () => {
  expect(describeCosts([once(0.1), once(0.32)], 10)).toBe(
    `agent-evals: 2 cases go live; estimated cost $0.42 (by earlier live runs), ${REST}`,
  )
  expect(describeCosts([once(0.1), once(null)], 10)).toBe(
    `agent-evals: 2 cases go live; estimated cost $0.10 + unknown for 1 case (by earlier live runs), ${REST}`,
  )
  expect(describeCosts([once(null)], 10)).toBe(
    `agent-evals: 1 case goes live; estimated cost unknown (no earlier live run), ${REST}`,
  )
})

test('counts every arm and every run', () => {
  const arms = [
    { ...once(0.3), runs: 3 },
    { runs: 3, costUsd: 0.6, arm: 'without_skill' as const },
  ]
  expect(describeCosts(arms, 10)).toBe(
    `agent-evals: 2 cases go live, 1 of them without the skill, in 6 runs; estimated cost $0.90 (by earlier live runs), ${REST}`,
  )
})

function once(costUsd: number | null): LiveCase {
  return { runs: 1, costUsd, arm: 'with_skill' }
}
