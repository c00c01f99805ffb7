// @module-tag no-engine
// @module-tag slow
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { config, PACKAGE, readReport, verdicts } from '../support/eval-project.ts'
import { keptText, namesBelow } from '../support/kept-text.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { SHELL_ENGINE, SHELL_VARIABLES, shellCases } from '../support/shell-engine.ts'

const OPTIONS = `{ sandbox: 'prefer', engines: ${JSON.stringify(SHELL_ENGINE)} }`
const RUNS_ON_HOST = `require('fs').writeFileSync(process.env.OWNED, process.env.ANTHROPIC_API_KEY)`

// Each line of the session is what an agent could be talked into.
const SESSION = [
  'mkdir -p output/bare/objects output/bare/refs',
  `printf '%s' "import { createRequire } from 'node:module'; const require = createRequire('/'); ${RUNS_ON_HOST}" > output/evil.test.ts`,
  `cp output/evil.test.ts output/evil.spec.js`,
  `printf 'ref: refs/heads/main' > output/bare/HEAD`,
  `printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = touch "$OWNED"\\n' > output/bare/config`,
  'echo Hello',
].join('\n')

describe('what a session wrote', () => {
  test('is nothing that a later command on the host executes', async () => {
    await using project = await createProject(repositoryVitest(), {
      ...PACKAGE,
      ...shellCases({ writes: SESSION }),
      'vitest.config.ts': config(OPTIONS),
      'src/own.test.ts': "import { test } from 'vitest'\ntest('is mine', () => {})\n",
    })
    const ran = await project.run(['run', '--project', 'evals'], { env: SHELL_VARIABLES })
    const report = await readReport(project)
    expect(verdicts(report), ran.all).toEqual(['writes PASS'])
    const folder = join(project.root, report.cases[0]?.runs[0]?.folder ?? '')
    expect(keptText(folder, 'output/evil.test.ts')).toContain('writeFileSync')
    expect(keptText(folder, 'output/bare/HEAD')).toBe('ref: refs/heads/main')
    expect(namesBelow(folder)).toEqual([])

    const owned = join(project.root, 'owned')
    const env = { OWNED: owned, ANTHROPIC_API_KEY: 'sk-ant-the-key-of-the-user' }
    for (const args of [['run'], ['list'], ['list', '--project', 'unit'], ['run', '.vitest']])
      await project.run(args, { env: { ...env, ...SHELL_VARIABLES } })
    expect(existsSync(owned)).toBe(false)
    const all = (await project.run(['run', '--passWithNoTests', 'evil', 'own'], { env })).all
    expect(all).toContain('src/own.test.ts')
    expect(all).not.toContain('evil')
  })

  test('is below a folder that no project of Vitest searches', async () => {
    await using project = await createProject(repositoryVitest(), {
      ...PACKAGE,
      ...shellCases({ writes: SESSION }),
      'vitest.config.ts': config(
        OPTIONS,
        `test: { projects: [{ test: { name: 'inline', include: ['**/*.test.ts'], exclude: ['**/node_modules/**'] } }, './vitest.other.config.ts', () => ({ test: { name: 'made', include: ['**/*.test.ts'] } })] }`,
      ),
      'vitest.other.config.ts': "export default { test: { name: 'file', include: ['**/*.test.ts'] } }\n",
      '.vitest/agent-evals/old.test.ts': "import { test } from 'vitest'\ntest('is old', () => {})\n",
      'src/own.test.ts': "import { test } from 'vitest'\ntest('is mine', () => {})\n",
    })
    expect(await listed(project)).toEqual(['file', 'inline', 'made'])
    expect(await listed(project, '--project', 'inline')).toEqual(['inline'])
    expect(await listed(project, '--project', 'made')).toEqual(['made'])
  })
})

/** Names of the projects that list the user's test, given that none lists a test of the run folders. */
async function listed(project: TestProject, ...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await project.run(['list', '--json', ...args])
  const tests = JSON.parse(stdout) as readonly { readonly name: string; readonly projectName: string }[]
  expect(tests.filter(({ name }) => name === 'is old')).toEqual([])
  return tests.map(({ projectName }) => projectName).toSorted()
}
