import { expect, test } from 'vitest'
import { erroredJudge, skippedJudge } from '../../../src/judges/judgement.ts'
import { caseResult, reportOf } from '../../support/case-result.ts'

test('one judge that could not be asked does not hide who judged the others', () => {
  const model = 'claude-sonnet-4-5-20250929'
  const results = [
    caseResult('a', { judge: { ...skippedJudge('All there.'), result: 'passed', model } }),
    caseResult('b', { judge: { ...erroredJudge('judge-failed', 'It is down.'), model: 'sonnet' } }),
  ]
  expect(reportOf(results).judge).toMatchObject({ model, model_provider: 'anthropic' })
})
