import { execFileSync } from 'node:child_process'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import {
  addressOfRun,
  appendJobSummary,
  commentOn,
  jobSummaryFile,
} from '../../../../src/report/comment/write-comment.ts'
import { readReport } from '../../../../src/report/read-report.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { caseResult, reportOf } from '../../../support/case-result.ts'

function comment(
  results: readonly CaseResult[],
  environment: Readonly<Record<string, string>> = {},
  root: string = import.meta.dirname,
): string {
  const reports = [readReport(reportOf(results), 'the report')]
  return commentOn({ reports, comparison: null, decides: false }, environment, root)
}

test('names what did not pass, worst first, with reason and place, and has no secret', () => {
  const text = comment(
    [
      caseResult('a', { outcome: 'skipped', reason: 'not asked for', runs: [] }),
      caseResult('b', { outcome: 'failed', reason: 'said sk-12345678' }),
      caseResult('c'),
    ],
    { A_TOKEN: 'sk-12345678' },
  )
  expect(text).toMatchInlineSnapshot(`
    "<!-- vitest-agent-evals -->
    ### Agent evals: 1 passed, 1 failed, 1 skipped

    | | |
    |---|---|
    | pass rate | 50% (1 of 2 cases; 95% interval 9% to 91%) |
    | cost | $0.04 |

    #### Failed (1)

    - <code>b</code>: failed
      - <code>said sk&#45;12345678</code>
      - The agent wrote: <code>done</code>
      - At <code>packages&#47;review&#47;evals&#47;cases&#47;b&#46;yaml&#58;1</code>

    #### Skipped (1)

    - <code>a</code>: skipped
      - <code>not asked for</code>
      - At <code>packages&#47;review&#47;evals&#47;cases&#47;a&#46;yaml&#58;1</code>
    "
  `)
})

test('is added to the page of the job, where there is one', async () => {
  await using fixture = await createFixture({ 'summary.md': 'before\n' })
  expect(jobSummaryFile({ GITHUB_STEP_SUMMARY: '' })).toBeNull()
  const file = jobSummaryFile({ GITHUB_STEP_SUMMARY: fixture.getPath('summary.md') }) ?? ''
  expect(appendJobSummary(file, comment([caseResult('a')]))).toBeNull()
  expect(await fixture.readFile('summary.md', 'utf8')).toMatch(/^before\n<!-- .* -->\n### Agent evals: 1 passed\n/)
  expect(appendJobSummary(fixture.path, 'a')).toMatch(/^The job summary was not written to .*EISDIR/)
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
  const commentFor = (root: string, base: string): string => comment([caseResult('a')], { GITHUB_BASE_REF: base }, root)
  const expected = `#### Changed recordings: review what the model is said to have answered (3)

- <code>evals&#47;recordings&#47;&#60;b&#62;&#46;json</code>
- <code>evals&#47;recordings&#47;old&#46;json</code>
- <code>packages&#47;a&#47;evals&#47;recordings&#47;cases&#47;one&#47;claude&#45;code&#46;1&#46;json</code>
`
  // From a folder below as well: the recordings are the whole checkout's.
  expect(commentFor(fixture.path, 'main')).toContain(expected)
  expect(commentFor(fixture.getPath('packages/a'), 'main')).toContain(expected)
  expect(commentFor(fixture.path, '')).not.toContain('ecordings')
  expect(commentFor(fixture.path, 'unknown')).toContain('Which recordings this pull request changes is unknown')
})

test('the address is that of the CI', () => {
  const github = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'o/r', GITHUB_RUN_ID: '7' }
  expect(addressOfRun(github)).toBe('https://github.com/o/r/actions/runs/7#artifacts')
  expect(addressOfRun({ CI_JOB_URL: 'https://gitlab.com/g/p/-/jobs/1' })).toBe(
    'https://gitlab.com/g/p/-/jobs/1/artifacts/browse',
  )
  expect(addressOfRun({})).toBeNull()
})
