// @module-tag no-engine
import { expect, test } from 'vitest'
import { readReport, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { SHELL_PACKAGE, shellCases, shellConfig } from '../support/shell-engine.ts'

test('without a sandbox, a run says once that writable paths are not enforced, and what writes elsewhere does not pass', async () => {
  await using project = await createProject(repositoryVitest(), {
    ...SHELL_PACKAGE,
    'vitest.config.ts': shellConfig({ sandbox: 'none' }),
    'evals/eval-config.json': JSON.stringify({ version: 1, engine: 'shell', sandbox: { 'writable-paths': ['out/'] } }),
    ...shellCases({
      'writes-inside': 'echo Hello; echo x > out/a.txt',
      'writes-outside': 'echo Hello; echo x > a.txt; mkdir -p outer; echo x > outer/b.txt',
      fails: 'echo Goodbye; echo x > a.txt',
    }),
  })
  const { all } = await project.agentEvals(['run', '--no-cache'], { merged: true })
  const report = await readReport(project)
  expect(verdicts(report).toSorted(), all).toEqual([
    'fails FAIL',
    'writes-inside PASS',
    'writes-outside ERROR sandbox-unavailable',
  ])
  expect(report.cases.find(({ name }) => name === 'writes-outside')?.error).toContain(
    'wrote outside of `writable-paths`: a.txt, outer/b.txt.',
  )
  expect(all.match(/`writable-paths`$/gm)).toHaveLength(1)
  expect(all).toContain('Sandbox  not enforced: none, nothing kept 3 cases to `writable-paths`')
})
