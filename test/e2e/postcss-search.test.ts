// @module-tag no-engine
// @module-tag slow
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { skillTest } from '../support/assert-project.ts'
import { config, greeting } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'

const major = repositoryVitest()

const POSTCSS = { plugins: { './named.cjs': {} } }

const FILES = {
  // It is run when Vite finds the configuration, whether there is CSS or not.
  'named.cjs': "require('node:fs').writeFileSync(`${__dirname}/was-run`, '')\nmodule.exports = () => ({})\n",
  'evals/cases/greets.yaml': greeting('greets'),
  'evals/own.eval.ts': "import { test } from 'vitest-agent-evals/test'\ntest('own', () => {})\n",
  'skills/notes/SKILL.md': '---\nname: notes\ndescription: Writes notes.\n---\n',
  'skills/notes/tests/cases/free.yaml': skillTest('free', 'true'),
}

describe('a PostCSS configuration', () => {
  test('in package.json runs nothing beside a vitest.config.ts, unless tests of the user run', async () => {
    await using project = await createProject(major, {
      ...FILES,
      'package.json': JSON.stringify({ private: true, type: 'module', postcss: POSTCSS }),
      // A project with a plugin has a Vite server of its own.
      'vitest.config.ts': config(
        '',
        "test: { projects: [{ plugins: [{ name: 'x' }], test: { name: 'unit' } }, 'kit'] }",
      ),
      'kit/vitest.config.ts': 'export default { test: { name: "kit" } }\n',
      'unit.test.ts': "import { test } from 'vitest'\ntest('unit', () => {})\n",
    })
    await expectNothingRuns(project, ['run', 'list', 'lint', 'test'])
    const ours = await project.run(['run', '--project', 'evals', '--project', 'assert'])
    expect(ours.all).toContain('evals/own.eval.ts')
    expect(wasRun(project)).toBe(false)
    await project.run(['run'])
    expect(wasRun(project)).toBe(true)
  })

  test('in a file of its own runs nothing without a vitest.config.ts', async () => {
    await using project = await createProject(major, { ...FILES, '.postcssrc.json': JSON.stringify(POSTCSS) })
    await expectNothingRuns(project, ['run', 'list', 'lint', 'test', 'run --project assert'])
  })
})

async function expectNothingRuns(project: TestProject, commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const { all } = await project.agentEvals(command.split(' '))
    expect(all).toMatch(/greets|own|free|no-eval-config/)
    expect({ command, wasRun: wasRun(project) }).toEqual({ command, wasRun: false })
  }
}

function wasRun({ root }: TestProject): boolean {
  return existsSync(join(root, 'was-run'))
}
