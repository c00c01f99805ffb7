// @module-tag no-engine
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { readReport, saying, verdicts } from '../support/eval-project.ts'
import { vitestMajors } from '../support/majors.ts'
import { readPageBlocks } from '../support/page-blocks.ts'
import { SHELL_PACKAGE, shellCases, shellConfig } from '../support/shell-engine.ts'
import { createProject, type TestProject } from '../support/project.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const entry = (pattern: string, expiry: string): object => ({
  case: pattern,
  reason: 'the greeting is being rewritten',
  since: '2020-01-01',
  expiry,
})

/** Two cases, of which one fails, and the same as tests in TypeScript. */
function files(...quarantine: readonly object[]): FileTree {
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

describeOnMajors(await vitestMajors(), 'quarantine on $label', {}, (major) => {
  test('keeps failures out of the exit code and shows them', async () => {
    await using project = await createProject(
      major,
      files(entry('says-b*', '2999-12-31'), entry('coded', '2999-12-31'), entry('says-helo', '2999-12-31')),
    )
    const { all, exitCode } = await run(project, '--html=page.html')
    expect(exitCode, all).toBe(0)
    const report = await readReport(project)
    expect(verdicts(report).toSorted()).toEqual(['coded FAIL', 'says-bye FAIL', 'says-hello PASS'])
    expect(report.summary).toMatchObject({ passed: 1, failed: 2, skipped: 0 })
    expect(report.cases.find(({ name }) => name === 'says-bye')?.quarantine).toEqual({
      ...entry('says-b*', '2999-12-31'),
      expired: false,
    })
    expect(report.cases.find(({ name }) => name === 'says-hello')).not.toHaveProperty('quarantine')
    expect(all).toContain('2 failed | 1 passed (3)')
    expect(all).toContain('Quarantine  2 cases gate nothing: 2 failed')
    expect(all).toMatch(
      /says-bye: failed, in quarantine from 2020-01-01 to 2999-12-31: the greeting is being rewritten\. .*Hello/,
    )
    const idle = 'The quarantine of "says-helo" names no case. Did you mean "says-hello"?'
    expect(all).toContain(idle)
    expect(report.notices.join('\n')).toContain(idle)
    const { overview } = readPageBlocks(await readFile(join(project.root, 'page.html'), 'utf8'))
    expect(overview.rows.filter(({ quarantine }) => quarantine?.expired === false)).toHaveLength(2)

    const listed = await project.agentEvals(['list'])
    expect(listed.stdout).toContain('says-bye (in quarantine)')
    const one = await run(project, 'says-bye')
    // What was asked for has failed, and gates nothing.
    expect(one.exitCode, one.all).toBe(0)
    // Which tests there are in files that did not run is not known.
    expect(one.all).not.toContain('names no case')
  })

  test('ends with its last day, and says so', async () => {
    await using project = await createProject(
      major,
      files(entry('says-bye', '2020-12-31'), entry('coded', '2020-12-31')),
    )
    const { all, exitCode } = await run(project)
    expect(exitCode, all).toBe(1)
    const over = 'its quarantine expired on 2020-12-31, so it gates again: the greeting is being rewritten'
    expect(all).toContain(`says-bye: failed, ${over}`)
    expect(all.split(over).length - 1).toBeGreaterThanOrEqual(4)
  })

  test('is refused with its place', async () => {
    await using project = await createProject(major, files(entry('says-bye', 'soon')))
    const { all, exitCode } = await run(project)
    expect(exitCode).not.toBe(0)
    expect(all).toContain('option `quarantine.0.expiry` of agentEvals() is "soon": expected a day, such as 2026-12-31')
  })
})
