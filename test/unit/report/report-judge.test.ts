import { expect, test } from 'vitest'
import { erroredJudge, skippedJudge } from '../../../src/judges/judgement.ts'
import { buildReport } from '../../../src/report/build-report.ts'
import { foldReports } from '../../../src/report/fold.ts'
import { knownProvenance } from '../../../src/results/provenance.ts'
import { caseResult, ended, runPlan } from '../../support/case-result.ts'

test('one judge that could not be asked does not hide who judged the others', () => {
  const model = 'claude-sonnet-4-5-20250929'
  const results = [
    caseResult('a', { judge: { ...skippedJudge('All there.'), result: 'passed', model } }),
    caseResult('b', { judge: { ...erroredJudge('judge-failed', 'It is down.'), model: 'sonnet' } }),
  ]
  const entries = results.map((result, index) => ended(index, result))
  const journal = { entries, skipped: { corrupt: 0, 'unknown-version': 0 } }
  const [folded] = foldReports([{ plan: runPlan(results), journal }], 'finished')
  expect(buildReport(folded!, knownProvenance('4.1.12')).judge).toEqual({ model, model_provider: 'anthropic' })
})
