import { execFileSync } from 'node:child_process'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { appendJobSummary, formatJobSummary } from '../../../../src/report/summary/job-summary.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
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
  expect(appendJobSummary(reports(caseResult('a')), {}, fixture.path)).toBeNull()
  expect(appendJobSummary([], { GITHUB_STEP_SUMMARY: file }, fixture.path)).toBeNull()
  expect(await fixture.readFile('summary.md', 'utf8')).toBe('before\n')
  expect(appendJobSummary(reports(caseResult('a')), { GITHUB_STEP_SUMMARY: file }, fixture.path)).toBeNull()
  expect(await fixture.readFile('summary.md', 'utf8')).toMatch(
    /^before\n### Agent evals\n\n```text\nAgent Evals {2}1 passed/,
  )
  expect(appendJobSummary(reports(caseResult('a')), { GITHUB_STEP_SUMMARY: fixture.path }, fixture.path)).toMatch(
    /^The job summary was not written to .*EISDIR/,
  )
})

test('names the recordings that a pull request changes, and says when they are unknown', async () => {
  const recording = 'packages/a/evals/recordings/cases/one/claude-code.1.json'
  await using fixture = await createFixture({
    [recording]: '{}\n',
    'evals/recordings/old.json': '{}\n',
    'notes.md': '',
  })
  const git = (...words: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: fixture.path, stdio: 'pipe' })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'Before')
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  await fixture.writeFile(recording, '{ "changed": true }\n')
  await fixture.writeFile('evals/recordings/<b>.json', '{}\n')
  await fixture.writeFile('notes.md', 'More.\n')
  await fixture.rm('evals/recordings/old.json')
  git('add', '.')
  git('commit', '-qm', 'After')
  const summaryOf = async (root: string, base: string): Promise<string> => {
    await using page = await createFixture({ 'summary.md': '' })
    const environment = { GITHUB_STEP_SUMMARY: page.getPath('summary.md'), GITHUB_BASE_REF: base }
    expect(appendJobSummary(reports(caseResult('a')), environment, root)).toBeNull()
    return page.readFile('summary.md', 'utf8')
  }
  const expected = `Recordings changed in this pull request: 3. Review what the model is said to have answered.

- evals/recordings/&#60;b&#62;.json
- evals/recordings/old.json
- ${recording}
`
  // From a folder below as well: the recordings are the whole checkout's.
  expect(await summaryOf(fixture.path, 'main')).toContain(expected)
  expect(await summaryOf(fixture.getPath('packages/a'), 'main')).toContain(expected)
  expect(await summaryOf(fixture.path, '')).not.toContain('pull request')
  expect(await summaryOf(fixture.path, 'unknown')).toContain('Which recordings this pull request changes is unknown')
})
