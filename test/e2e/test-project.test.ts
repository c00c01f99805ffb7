// @module-tag claude-code
import { describe, expect, test } from 'vitest'
import { repositoryVitest, viteVariants } from '../support/majors.ts'
import { createProject } from '../support/project.ts'

describe.each([repositoryVitest(), ...(await viteVariants())])('a test project on $label', (major) => {
  test('shares one Vitest with the installed package', async () => {
    await using project = await createProject(major, {
      'a.test.ts': [
        "import { expect, test } from 'vitest'",
        "import 'vitest-agent-evals/matchers/register'",
        "test('the matcher is there', () => expect(typeof expect(1).toContainOutput).toBe('function'))",
        "test('fails', () => expect(1).toBe(2))",
      ].join('\n'),
    })
    const finished = await project.run(['run'], { merged: true })
    expect(finished.exitCode).toBe(1)
    expect(finished.all).toMatchInlineSnapshot(`
      "RUN  <root>

       ❯ a.test.ts (2 tests | 1 failed)
         ✓ the matcher is there
         × fails

      ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

       FAIL  a.test.ts > fails
      AssertionError: expected 1 to be 2 // Object.is equality

      - Expected
      + Received

      - 2
      + 1

       ❯ a.test.ts:4:31
            2| import 'vitest-agent-evals/matchers/register'
            3| test('the matcher is there', () => expect(typeof expect(1).toContainOu…
            4| test('fails', () => expect(1).toBe(2))
             |                               ^

      ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯


       Test Files  1 failed (1)
            Tests  1 failed | 1 passed (2)"
    `)
  })

  test('watches until it is interrupted', async () => {
    await using project = await createProject(major, {
      'a.test.ts': "import { test } from 'vitest'\ntest('one', () => {})\n",
    })
    const watching = project.start(['--watch'])
    await watching.waitFor('Waiting for file changes')
    await project.files.writeFile('a.test.ts', "import { test } from 'vitest'\ntest('two', () => {})\n")
    await watching.waitFor(/RERUN +a\.test\.ts[\S\s]+Waiting for file changes/)
    watching.send('SIGINT')
    expect(await watching.finished).toMatchObject({ exitCode: 130, signal: null })
  })
})
