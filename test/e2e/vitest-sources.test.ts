// @module-tag claude-code
import type { FileTree } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { greeting, greetings, PACKAGE, readReports, verdicts } from '../support/eval-project.ts'
import type { ProcessOptions } from '../support/running-process.ts'

const major = repositoryVitest()

const COMMAND = /npx vitest-agent-evals run --(?:live|record) evals\/cases\/paid\.yaml:1/

describe('a case without answers', () => {
  test('is skipped with the command that runs it, and a run of nothing else is red', async () => {
    await using project = await createPaid()
    const { exitCode, stderr } = await project.run(['run', '--project', 'evals'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('agent-evals: no case passed or failed (1 was skipped), failing the run. paid: ')
    expect(stderr).toMatch(COMMAND)
    expect(await outcomes(project)).toEqual([['paid SKIP']])
  })

  test('beside one with answers does not make the run red', async () => {
    await using project = await createPaid(greetings({ free: 'Hello' }))
    const { exitCode } = await project.run(['run', '--project', 'evals'])
    expect(exitCode).toBe(0)
    expect(await outcomes(project)).toEqual([['free PASS', 'paid SKIP']])
  })

  test.each<[string, ProcessOptions['env']]>([
    ['where CI is set', { CI: 'true', ANTHROPIC_API_KEY: 'sk-ant-not-to-be-used' }],
    ['in a replay', { AGENT_EVALS_SOURCE: 'replay', ANTHROPIC_API_KEY: 'sk-ant-not-to-be-used' }],
  ])('is an error %s, and nothing is spent', async (_where, env) => {
    await using project = await createPaid()
    const { exitCode, all } = await project.run(['run', '--project', 'evals'], {
      env: { ...env, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
    })
    expect(exitCode).toBe(1)
    expect(all).toMatch(COMMAND)
    expect(await outcomes(project)).toEqual([['paid ERROR missing-answers']])
  })
})

function createPaid(others: FileTree = {}): Promise<TestProject> {
  return createProject(major, { ...PACKAGE, ...others, 'evals/cases/paid.yaml': greeting('paid') })
}

async function outcomes(project: TestProject): Promise<readonly (readonly string[])[]> {
  return (await readReports(project)).map(verdicts)
}
