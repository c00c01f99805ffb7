// @module-tag no-engine
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { readReport, saying, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { readPageBlocks } from '../support/page-blocks.ts'
import { SHELL_PACKAGE, shellCases, shellConfig } from '../support/shell-engine.ts'
import { createProject, type TestProject } from '../support/project.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const major = repositoryVitest()

/** Two cases, of which one fails, and the same as tests in TypeScript. */
function files(...quarantine: readonly unknown[]): FileTree {
  return {
    ...SHELL_PACKAGE,
    'vitest.config.ts': shellConfig({ quarantine }),
    ...shellCases({ 'says-bye': 'echo Goodbye', 'says-hello': 'echo Hello' }),
    'greets.eval.ts': [
      "import { expect, test } from 'vitest-agent-evals/test'",
      "test('coded', async ({ agent }) => {",
      "  expect(await agent.run('echo Goodbye')).toContainOutput('Hello')",
      '})',
    ].join('\n'),
    'evals/scenarios/coded.yaml': saying('Goodbye'),
  }
}

function run(project: TestProject, ...args: readonly string[]): Promise<FinishedProcess> {
  return project.agentEvals(['run', '--no-cache', ...args], { merged: true })
}

describe('quarantine', () => {
  test('keeps failures out of the exit code and shows them', async () => {
    await using project = await createProject(major, files('says-b*', 'coded', 'says-helo', 'gone-*'))
    const { all, exitCode } = await run(project, '--html=page.html')
    expect(exitCode, all).toBe(0)
    const report = await readReport(project)
    expect(verdicts(report).toSorted()).toEqual(['coded FAIL', 'says-bye FAIL', 'says-hello PASS'])
    expect(report.summary).toMatchObject({ passed: 1, failed: 2, skipped: 0 })
    expect(report.cases.find(({ name }) => name === 'says-bye')?.quarantined).toBe(true)
    expect(report.cases.find(({ name }) => name === 'says-hello')).not.toHaveProperty('quarantined')
    expect(all).toContain('2 failed | 1 passed (3)')
    expect(all).toContain('Quarantine  2 cases gate nothing: 2 failed')
    expect(all).toMatch(/says-bye: failed\. .*Hello/)
    const unmatched = 'The option quarantine names no case by "says-helo", "gone-*".'
    expect(all).toContain(unmatched)
    expect(report.notices.join('\n')).toContain(unmatched)
    const { overview } = readPageBlocks(await readFile(join(project.root, 'page.html'), 'utf8'))
    expect(overview.rows.filter(({ quarantined }) => quarantined === true)).toHaveLength(2)

    const listed = await project.agentEvals(['list'])
    expect(listed.stdout).toContain('says-bye (in quarantine)')
    const one = await run(project, 'says-bye')
    // What was asked for has failed, and gates nothing.
    expect(one.exitCode, one.all).toBe(0)
    // Which tests there are in files that did not run is not known.
    expect(one.all).not.toContain('names no case')
  })

  test('is refused with its place', async () => {
    await using project = await createProject(major, files('says-bye', { case: 'coded' }))
    const { all, exitCode } = await run(project)
    expect(exitCode).not.toBe(0)
    expect(all).toContain('option `quarantine.1` of agentEvals()')
  })
})
