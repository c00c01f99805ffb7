// @module-tag no-engine
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { SHELL_PACKAGE, shellCases, shellConfig } from '../support/shell-engine.ts'
import { createProject } from '../support/project.ts'
import { config, greetings, PACKAGE, readReport, verdicts, withoutTimes } from '../support/eval-project.ts'

const major = repositoryVitest()

const UNIT = "import { expect, test } from 'vitest'\ntest('adds', () => expect(1 + 1).toBe(2))\n"

describe('a plain vitest', () => {
  test('runs the tests of the user and says in one line what it left out', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      ...greetings({ apple: 'Hello', pear: 'Hello' }),
      'unit.test.ts': UNIT,
    })
    const { all, exitCode } = await project.run(['run'], { merged: true })
    expect(exitCode).toBe(0)
    expect(notes(all)).toEqual(['agent-evals: 2 cases in 2 files not run; npx vitest --project evals'])
    expect(all).toMatch(/✓ unit\.test\.ts[^]+Tests  1 passed \(1\)/)
    // Neither does a filter that happens to occur in the path of a case.
    const filtered = await project.run(['run', 'unit', 'apple'])
    expect(notes(filtered.all)).toHaveLength(1)
    // Nor is it among what programs read.
    const listed = await project.run(['list', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'adds' }])
  })

  test('is green in a repository that has only evals', async () => {
    await using project = await createProject(major, { ...PACKAGE, ...greetings({ apple: 'Hello' }) })
    const { all, exitCode } = await project.run(['run'], { merged: true })
    expect(exitCode).toBe(0)
    expect(notes(all)).toEqual(['agent-evals: 1 case in 1 file not run; npx vitest --project evals'])
    expect(all).toContain('No test files found, exiting with code 0')

    const filtered = await project.run(['run', 'unit'])
    expect(filtered.exitCode).toBe(1)
  })

  test('leaves the projects, reporters and setup files of the user alone, and takes another name than they have', async () => {
    const settings = [
      "reporters: ['default', './reporter.ts']",
      "setupFiles: ['./setup.ts']",
      "projects: [{ extends: true, test: { name: 'evals', include: ['*.test.ts'] } }]",
    ].join(', ')
    await using project = await createProject(major, {
      ...SHELL_PACKAGE,
      ...shellCases({ apple: 'echo Hello' }),
      'vitest.config.ts': shellConfig({ name: 'agent-evals' }, `test: { ${settings} }`),
      'setup.ts': "globalThis.setUp = 'by the user'\n",
      'unit.test.ts':
        "import { expect, test } from 'vitest'\ntest('set up', () => expect(globalThis.setUp).toBe('by the user'))\n",
      'reporter.ts': "export default class { onTestRunEnd() { console.log('my reporter') } }\n",
    })
    const plain = await project.run(['run'], { merged: true })
    expect(plain.exitCode).toBe(0)
    expect(plain.all).toMatch(/✓ \|evals\| unit\.test\.ts[^]+Tests  1 passed \(1\)[^]+my reporter/)
    expect(plain.all).toContain('agent-evals: 1 case in 1 file not run; npx vitest --project agent-evals')

    const named = await project.run(['run', '--project', 'agent-evals'], { merged: true })
    expect(named.exitCode).toBe(0)
    expect(named.all).toContain('my reporter')
    expect(withoutTimes(named.all)).toContain('Agent Evals  1 passed (1)')
    expect(verdicts(await readReport(project))).toEqual(['apple PASS'])
  })

  test('runs evals beside them when told always to', async () => {
    await using project = await createProject(major, {
      ...SHELL_PACKAGE,
      ...shellCases({ apple: 'echo Hello' }),
      'vitest.config.ts': shellConfig({ when: 'always' }),
      'unit.test.ts': UNIT,
    })
    const { all, exitCode } = await project.run(['run'], { merged: true })
    expect(exitCode).toBe(0)
    expect(all).toMatch(/✓ unit\.test\.ts/)
    expect(verdicts(await readReport(project))).toEqual(['apple PASS'])
  })

  test('refuses a project of the same name', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      'vitest.config.ts': config('{}', "test: { projects: [{ test: { name: 'evals' } }] }"),
    })
    const taken = await project.run(['run'])
    expect(taken.exitCode).toBe(1)
    expect(taken.all).toContain(
      'AgentEvalsError: The configuration already has a project "evals". Rename the project of this plugin: agentEvals({ name: \'agent-evals\' }).',
    )
  })
})

/** What the plugin itself has to say. */
function notes(output: string): readonly string[] {
  return output.split('\n').filter((line) => line.startsWith('agent-evals:'))
}
