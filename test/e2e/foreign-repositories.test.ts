// @module-tag claude-code
// @module-tag slow
import { mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { USERS, vitestOf } from '../support/another-user.ts'
import { outputOf } from '../support/command.ts'
import { CONFIG, greetings, PACKAGE } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import type { FileTree } from 'fs-fixture'

const MANIFEST = { 'package.agent.json': PACKAGE['package.agent.json'] ?? '' }
const EVALS: FileTree = {
  ...MANIFEST,
  'evals/eval-config.json': '{ "version": 1, "engine": "claude-code" }\n',
  ...greetings({ greets: 'Hello, World' }),
  '.gitignore': 'node_modules\n',
}
const UNIT = "import { test } from 'vitest'\ntest('unit', () => { throw new Error('not asked for') })\n"

interface Repository {
  readonly name: string
  readonly files: FileTree
  /** Makes it what its name says. Answers the folder in which commands start, relative to the project. */
  readonly prepare?: (root: string) => Promise<string>
}

const repositories: readonly Repository[] = [
  {
    name: 'with umlauts and spaces in its path',
    files: {},
    prepare: (root) => moveInto(root, 'Größe & Maß/mein Repo'),
  },
  {
    name: 'that is a git worktree',
    files: {},
    async prepare(root) {
      await moveInto(root, 'main')
      await commit(join(root, 'main'))
      await git(join(root, 'main'), 'worktree', 'add', '--quiet', '../tree')
      return 'tree'
    },
  },
  {
    name: 'that is a git submodule',
    files: {},
    async prepare(root) {
      await moveInto(root, 'source')
      await commit(join(root, 'source'))
      await mkdir(join(root, 'outer'))
      await git(join(root, 'outer'), 'init', '--quiet')
      const local = ['-c', 'protocol.file.allow=always']
      await git(join(root, 'outer'), ...local, 'submodule', '--quiet', 'add', join(root, 'source'), 'libs/kit')
      return 'outer/libs/kit'
    },
  },
  {
    name: 'with Vitest projects of its own',
    files: {
      'package.json': '{ "private": true, "type": "module" }\n',
      'vitest.config.ts': CONFIG.replace('plugins:', "test: { projects: ['packages/*'] }, plugins:"),
      'packages/app/vitest.config.ts': "export default { test: { name: 'app' } }\n",
      'packages/app/app.test.ts': UNIT,
    },
  },
  {
    name: 'in CommonJS',
    files: {
      'package.json': '{ "private": true }\n',
      'vitest.config.js': "const { defineConfig } = require('vitest/config')\nmodule.exports = defineConfig({})\n",
      'unit.test.js': UNIT,
    },
  },
]

test.for(repositories)('a repository $name lists, lints and runs its case', async ({ name, files, prepare }) => {
  await using project = await createProject(repositoryVitest(), { ...EVALS, ...files })
  const cwd = join(project.root, (await prepare?.(project.root)) ?? '')
  if (name === 'in CommonJS') await takeLinesOfInit(project)
  const env = { AGENT_EVALS_SANDBOX: 'prefer', AGENT_EVALS_ENGINES: project.root }

  const list = await project.agentEvals(['list', '--json'], { cwd })
  expect(JSON.parse(list.stdout)).toMatchObject({
    cases: [{ name: 'greets', answers: 'scenario', file: 'evals/cases/greets.yaml' }],
    notes: [],
  })
  const lint = await project.agentEvals(['lint'], { cwd, merged: true })
  expect([lint.exitCode, lint.all]).toEqual([0, '✓ nothing wrong (1 case and 0 free tests in 1 file)'])
  const run = await project.agentEvals(['run'], { cwd, env, merged: true })
  expect(run.all).toContain('Agent Evals  1 passed (1)')
  expect(run.exitCode).toBe(0)
  expect(await readdir(join(cwd, 'evals/reports'))).toHaveLength(1)
})

test('a repository that is read-only lists and lints, and a run says that it cannot store results', async () => {
  // Modes do not hold root back.
  await using user = await vitestOf(USERS.at(-1) ?? '')
  await using project = await createProject(user.major, { ...PACKAGE, ...EVALS })
  await outputOf('chmod', ['-R', 'a-w,a+rX', project.root])
  try {
    expect((await project.agentEvals(['list'], { merged: true })).all).toContain('evals/cases/greets.yaml:1')
    expect(await project.agentEvals(['lint'])).toMatchObject({ exitCode: 0 })
    const run = await project.agentEvals(['run'], { merged: true })
    expect(run.exitCode).toBe(2)
    expect(run.all).toMatch(/Cannot store the results of this run in .+: EACCES.+Make it writable/)
  } finally {
    await outputOf('chmod', ['-R', 'u+w', project.root])
  }
})

test('plain Vitest names a subfolder that it takes as its root', async () => {
  await using project = await createProject(repositoryVitest(), { ...PACKAGE, ...EVALS, 'docs/x.md': '# X\n' })
  const { all } = await project.run(['run', '--project', 'evals'], { cwd: join(project.root, 'docs'), merged: true })
  expect(all).toContain('agent-evals: Vitest takes docs as its root.')
})

// The lines for the configuration are those that `init` prints.
async function takeLinesOfInit(project: TestProject): Promise<void> {
  const { stdout } = await project.agentEvals(['init'])
  const [, lines = ''] = /Add the plugin to vitest\.config\.js:\n\n((?: {2}.+\n)+)/.exec(stdout) ?? []
  // Its first case is not what is looked at here.
  for (const path of ['evals/cases/first-case.yaml', 'evals/scenarios/first-case.yaml']) await project.files.rm(path)
  const before = await project.files.readFile('vitest.config.js', 'utf8')
  const [required = '', ...rest] = lines.trim().split(/\n\s*/)
  await project.files.writeFile(
    'vitest.config.js',
    [required, ...before.trim().split('\n').slice(0, -1), ...rest, ''].join('\n'),
  )
}

async function moveInto(root: string, folder: string): Promise<string> {
  await mkdir(join(root, folder), { recursive: true })
  for (const name of ['package.agent.json', 'evals', '.gitignore'])
    await rename(join(root, name), join(root, folder, name))
  return folder
}

async function commit(folder: string): Promise<void> {
  await git(folder, 'init', '--quiet')
  await git(folder, 'add', '.')
  await git(folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'All')
}

async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  await outputOf('git', args, { cwd })
}
