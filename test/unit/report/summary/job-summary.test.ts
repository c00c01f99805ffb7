import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { appendJobSummary, formatJobSummary } from '../../../../src/report/summary/job-summary.ts'
import type { CaseResult } from '../../../../src/results/result.ts'
import type { SummaryReport } from '../../../../src/report/summary/summary.ts'
import { caseResult, reportOf } from '../../../support/case-result.ts'

const reports = (...results: readonly CaseResult[]): readonly SummaryReport[] => [
  { report: reportOf(results), path: 'evals-report.json' },
]

test('names what did not pass, worst first, and no text of it is markup', () => {
  const hostile = '<img src=x> | **a** [b](c) `d`\n::error::e ```'
  const text = formatJobSummary(
    reports(
      caseResult('a', { outcome: 'skipped', reason: 'not asked for', runs: [] }),
      caseResult('b', { outcome: 'failed', reason: hostile }),
      caseResult('c'),
    ),
  )
  expect(text).toMatchInlineSnapshot(`
    "### Agent evals

    | outcome | case | where | why |
    |---|---|---|---|
    | failed | b | packages/review/evals/cases/b.yaml:1 | &#60;img src=x&#62; &#124; &#42;&#42;a&#42;&#42; &#91;b&#93;(c) &#96;d&#96; |
    | skipped | a | packages/review/evals/cases/a.yaml:1 | not asked for |

    \`\`\`text
    Agent Evals  1 failed | 1 passed | 1 skipped (3)
      Pass Rate  50% (1 of 2)
        Answers  3 by a model
           Cost  $0.04 (2,468 tokens)
        Sandbox  bubblewrap
         Report  evals-report.json
    \`\`\`
    "
  `)
})

test('is added to the page of the job, where there is one', async () => {
  await using fixture = await createFixture({ 'summary.md': 'before\n' })
  const file = fixture.getPath('summary.md')
  expect(appendJobSummary(reports(caseResult('a')), {})).toBeNull()
  expect(appendJobSummary([], { GITHUB_STEP_SUMMARY: file })).toBeNull()
  expect(await fixture.readFile('summary.md', 'utf8')).toBe('before\n')
  expect(appendJobSummary(reports(caseResult('a')), { GITHUB_STEP_SUMMARY: file })).toBeNull()
  expect(await fixture.readFile('summary.md', 'utf8')).toMatch(
    /^before\n### Agent evals\n\n```text\nAgent Evals {2}1 passed/,
  )
  expect(appendJobSummary(reports(caseResult('a')), { GITHUB_STEP_SUMMARY: fixture.path })).toMatch(
    /^The job summary was not written to .*EISDIR/,
  )
})
