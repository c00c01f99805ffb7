import { expect, test } from 'vitest'
import { erroredJudge } from '../../../../src/judges/judgement.ts'
import { describeJudge } from '../../../../src/vitest/runtime/describe-failure.ts'

test('names the judge that spoke, and none where none did', () => {
  const broken = erroredJudge('budget-spent', 'The budget of $0.01 is spent.')
  expect(describeJudge(broken)).toBe('judge: The budget of $0.01 is spent.')
  const itself = { ...broken, model: 'claude-opus-4-8', selfJudged: true, reason: '1 of 1 passed' }
  expect(describeJudge(itself)).toBe('judge (claude-opus-4-8, which judges itself): 1 of 1 passed')
})
