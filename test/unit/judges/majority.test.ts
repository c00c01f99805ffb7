import { expect, test } from 'vitest'
import { decideVerdict } from '../../../src/judges/method.ts'
import { isSettled, takeMajority, type Ballot } from '../../../src/judges/score.ts'
import { UNKNOWN_KIND } from '../../../src/judges/statement-kinds.ts'
import type { Verdict } from '../../../src/judges/judgement.ts'

function ballots(...votes: readonly (readonly Verdict[])[]): readonly Ballot[] {
  return votes.map((vote, number) =>
    vote.map((verdict) => ({
      verdict,
      reason: `vote ${number + 1}`,
      quote: 'q',
      quoteFoundIn: 'output',
      evidence: [{ item: 'm0', quote: 'q' }],
      rests: 'evidence',
      kind: UNKNOWN_KIND,
    })),
  )
}

test('J9: a majority of the votes that were asked for decides each statement, and how many agree is kept', () => {
  const votes = ballots(['pass', 'fail', 'pass'], ['pass', 'pass', 'fail'], ['fail', 'pass', 'unscored'])
  const judged = takeMajority(['a', 'b', 'c'], votes, 3)
  expect(judged.map(({ verdict, agreement, reason }) => [verdict, agreement.agree, agreement.of, reason])).toEqual([
    ['pass', 2, 3, 'vote 1'],
    ['pass', 2, 3, 'vote 2'],
    ['unscored', 1, 3, 'The votes have no majority: 1 pass, 1 fail, 1 unscored.'],
  ])
  expect(decideVerdict(judged)).toEqual({
    result: 'errored',
    reason: '"c" could not be scored: The votes have no majority: 1 pass, 1 fail, 1 unscored.',
  })
})

test.for([
  [['pass'], 1, true],
  [['pass'], 3, false],
  [['pass', 'pass'], 3, true],
  [['pass', 'fail'], 3, false],
  [['unscored', 'unscored'], 3, true],
  [['pass', 'fail'], 2, false],
  [['pass', 'pass', 'pass', 'pass', 'pass'], 9, true],
  [['pass', 'pass', 'pass', 'pass'], 9, false],
] as const)('after the votes %j of %i, asking is over: %s', ([votes, asked, over]) => {
  expect(isSettled(ballots(...votes.map((verdict) => [verdict])), 1, asked)).toBe(over)
})

test('two votes against each other decide nothing', () => {
  expect(takeMajority(['a'], ballots(['pass'], ['fail']), 2)[0]?.verdict).toBe('unscored')
})

test.for([
  [['pass', 'pass'], 'passed'],
  [['pass', 'unscored'], 'errored'],
  [['fail', 'unscored'], 'failed'],
  [['pass', 'fail'], 'failed'],
] as const)('verdicts %j come to %s', ([verdicts, result]) => {
  const statements = verdicts.map((_, index) => `statement ${index}`)
  expect(decideVerdict(takeMajority(statements, ballots(verdicts), 1)).result).toBe(result)
})
