import { expect, test } from 'vitest'
import { erroredJudge, skippedJudge, type JudgePart, type JudgedStatement } from '../../../src/judges/judgement.ts'
import { withDecided } from '../../../src/judges/known-kinds.ts'

const holds = { holds: true, evidence: 'a.md exists.', weak: null }
const fails = { holds: false, evidence: 'a.md does not exist.', weak: null }
const judged = (verdict: JudgedStatement['verdict']): JudgePart => ({
  ...skippedJudge(''),
  result: verdict === 'pass' ? 'passed' : verdict === 'fail' ? 'failed' : 'errored',
  reason: 'r',
  model: 'm',
  statements: [{ text: 'b', verdict, reason: 'r', quote: 'q', quoteFoundIn: 'output', agreement: { agree: 1, of: 1 } }],
})

function outcome(part: JudgePart): readonly unknown[] {
  return [
    part.result,
    part.reason,
    part.statements.map(({ verdict, decidedBy }) => `${verdict} ${decidedBy ?? 'judge'}`),
  ]
}

test('a judge that had everything to say stays as it is', () => {
  const part = judged('pass')
  expect(withDecided(part, ['b'], [null])).toBe(part)
  expect(withDecided(part, ['b'], [])).toBe(part)
})

test('what a check and what the judge has decided stand in the order of the file and decide together', () => {
  expect(outcome(withDecided(judged('pass'), ['a', 'b'], [holds, null]))).toEqual([
    'passed',
    'All 2 statements hold.',
    ['pass check', 'pass judge'],
  ])
  expect(outcome(withDecided(judged('pass'), ['b', 'a'], [null, fails]))).toEqual([
    'failed',
    '"a" does not hold: a.md does not exist.',
    ['pass judge', 'fail check'],
  ])
  expect(outcome(withDecided(judged('unscored'), ['a', 'b'], [holds, null]))[0]).toBe('errored')
})

test('a judge that broke leaves its statements open, and a check that failed still fails', () => {
  const broken = erroredJudge('judge-failed', 'It is down.')
  const open = withDecided(broken, ['a', 'b'], [holds, null])
  expect(open).toMatchObject({ result: 'errored', error: { code: 'judge-failed', message: 'It is down.' } })
  expect(open.statements[1]).toMatchObject({ verdict: 'unscored', reason: 'It is down.' })
  const failed = withDecided(broken, ['a', 'b'], [fails, null])
  expect(failed).toMatchObject({ result: 'failed', error: null, notices: ['It is down.'] })
})

test('a judge that was not asked stays skipped as long as it had something to say', () => {
  const skipped = withDecided(skippedJudge('a check failed'), ['a', 'b'], [holds, null])
  expect(skipped).toMatchObject({ result: 'skipped', reason: 'a check failed' })
  expect(skipped.statements[1]?.reason).toBe('The judge was not asked: a check failed.')
  expect(withDecided(skippedJudge('nothing'), ['a'], [holds])).toMatchObject({ result: 'passed', model: null })
})
