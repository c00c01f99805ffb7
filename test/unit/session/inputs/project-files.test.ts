import { execFileSync } from 'node:child_process'
import { chownSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test, vi } from 'vitest'
import { listProjectFiles } from '../../../../src/session/inputs/project-files.ts'
import { worthNaming } from '../../../../src/session/inputs/stays-out.ts'

const FILES: FileTree = {
  'a.txt': 'a',
  '.env': 'SECRET',
  '.npmrc': 'token',
  'node_modules/x/index.js': '',
  'src/app.ts': '',
  'src/skills/notes/SKILL.md': '',
  'src/skills/notes/evals/evals.json': '',
  'src/skills/notes/tests/cases/a.yaml': '',
  'evals/notes/triggers.json': '',
  'src/trigger-evals/notes.json': '',
  'answers/a.yaml': '',
}

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd, stdio: 'ignore' })
}

function skillIn(root: string): Parameters<typeof listProjectFiles>[0] {
  return { dir: join(root, 'src/skills/notes'), evalsDir: join(root, 'evals/notes'), projectRoot: root }
}

test('without git everything is listed but answers, secrets and dependencies', async () => {
  await using fixture = await createFixture(FILES)
  const root = fixture.path.replace(/\/$/, '')
  const { files } = await listProjectFiles(skillIn(root), [join(root, 'answers')])
  expect(files.map(({ path }) => path)).toEqual(['a.txt', 'src/app.ts', 'src/skills/notes/SKILL.md'])
})

test('with git tracked files below folders of build results are part of the project, dependencies never', async () => {
  await using fixture = await createFixture({ ...FILES, 'dist/a.js': '', 'lib/.cache/b': '', 'build/c': '' })
  const root = fixture.path.replace(/\/$/, '')
  git(root, 'init', '-q')
  git(root, 'add', '-f', 'dist', 'lib', 'node_modules', 'a.txt')
  const { files } = await listProjectFiles(skillIn(root), [join(root, 'answers')])
  const paths = files.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['a.txt', 'dist/a.js', 'lib/.cache/b']))
  expect(paths.filter((path) => path.startsWith('build/') || path.startsWith('node_modules/'))).toEqual([])
})

test('with git what it does not ignore, committed or not, and nothing that is gone', async () => {
  await using fixture = await createFixture({
    ...FILES,
    '.gitignore': 'big/\n',
    'big/blob': '',
    'gone.txt': '',
    'with space ü.txt': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  git(root, 'init', '-q')
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', 'x')
  await fixture.rm('gone.txt')
  await fixture.writeFile('new.txt', '')
  const { files } = await listProjectFiles(skillIn(root), [join(root, 'answers')])
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    '.gitignore',
    'a.txt',
    'new.txt',
    'src/app.ts',
    'src/skills/notes/SKILL.md',
    'with space ü.txt',
  ])
})

test('links within the project are what they lead to, and _bmad comes along though git ignores it', async () => {
  await using fixture = await createFixture({
    ...FILES,
    '.gitignore': '_bmad\nbig\n',
    '_bmad/core/config.yaml': '',
    '_bmad/.env': '',
    '_bmad/core/evals/evals.json': '',
    'big/blob': '',
    'docs/guide/a.md': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  symlinkSync('docs/guide', join(root, 'manual'))
  symlinkSync('../a.txt', join(root, 'docs/first.txt'))
  symlinkSync('big/blob', join(root, 'blob'))
  symlinkSync('big', join(root, 'huge'))
  symlinkSync('/etc/hostname', join(root, 'host'))
  symlinkSync('answers', join(root, 'key'))
  git(root, 'init', '-q')
  git(root, 'add', '-A')
  const { files, leftOut } = await listProjectFiles(skillIn(root), [join(root, 'answers')])
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    '.gitignore',
    '_bmad/core/config.yaml',
    'a.txt',
    'docs/first.txt',
    'docs/guide/a.md',
    'manual/a.md',
    'src/app.ts',
    'src/skills/notes/SKILL.md',
  ])
  expect(worthNaming(leftOut).map(({ path, why }) => `${path} ${why}`)).toEqual([
    'big/ is ignored by git',
    'blob is a symbolic link to something that stays out',
    'host is a symbolic link that leads out',
    'huge is a symbolic link to something that stays out',
    'key is a symbolic link to something that stays out',
    'node_modules/ is a folder of dependencies',
  ])
})

test('no answers of any skill are in the copy of a project', async () => {
  await using fixture = await createFixture({
    'skills/a/SKILL.md': '',
    'skills/a/evals/fixtures/x.txt': '',
    'skills/b/SKILL.md': '',
    'skills/b/evals/evals.json': '',
    'skills/b/tests/cases/a.yaml': '',
    'plugins/p/evals/scenarios/a.yaml': '',
    'lib/tests/unit.js': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  const skill = { dir: join(root, 'skills/a'), evalsDir: join(root, 'skills/a/evals'), projectRoot: root }
  const { files } = await listProjectFiles(skill)
  expect(files.map(({ path }) => path)).toEqual(['lib/tests/unit.js', 'skills/a/SKILL.md', 'skills/b/SKILL.md'])
})

test('too much is refused with what to do', async () => {
  await using fixture = await createFixture(FILES)
  const root = fixture.path.replace(/\/$/, '')
  await expect(listProjectFiles(skillIn(root), [], { files: 2, bytes: 100 })).rejects.toThrow(
    /holds more than 2 files or .+, and each run gets a copy\..+of a project, let git ignore it, or set projectCopy: false\./,
  )
})

test('files of submodules and nested repositories are part of the project, and a submodule that is not there is named', async () => {
  await using fixture = await createFixture({
    'project/src/skills/notes/SKILL.md': '',
    'project/nested/.gitignore': 'private.txt\n',
    'project/nested/private.txt': '',
    'project/nested/open.txt': '',
    'library/notes.md': '',
  })
  const [root, library] = [fixture.getPath('project'), fixture.getPath('library')]
  git(library, 'init', '-q')
  git(library, 'add', '-A')
  git(library, 'commit', '-qm', 'one')
  git(root, 'init', '-q')
  git(join(root, 'nested'), 'init', '-q')
  for (const name of ['library', 'lost'])
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', library, `vendor/${name}`)
  git(root, 'commit', '-qm', 'two')
  git(root, 'worktree', 'add', '-q', '.worktrees/other')
  rmSync(join(root, 'vendor/lost'), { recursive: true })
  await fixture.mkdir('project/vendor/lost')
  const { files, leftOut } = await listProjectFiles(skillIn(root))
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    '.gitmodules',
    'nested/.gitignore',
    'nested/open.txt',
    'src/skills/notes/SKILL.md',
    'vendor/library/notes.md',
  ])
  expect(leftOut).toContainEqual({ path: 'vendor/lost/', why: 'is a submodule that is not fetched' })
  expect(leftOut).toContainEqual({ path: '.worktrees/other/', why: 'is another worktree' })
})

test('where git fails in a repository, nothing is copied and the message says why', async () => {
  await using fixture = await createFixture({ ...FILES, none: {} })
  const root = fixture.path.replace(/\/$/, '')
  git(root, 'init', '-q')
  vi.stubEnv('PATH', join(root, 'none'))
  try {
    await expect(listProjectFiles(skillIn(root))).rejects.toMatchObject({
      code: 'workspace-failed',
      message: expect.stringContaining('The program git cannot be started; install it.'),
    })
  } finally {
    vi.unstubAllEnvs()
  }
})

test.skipIf(process.getuid?.() !== 0)(
  'that git refuses the checkout of another user is said in its words',
  async () => {
    await using fixture = await createFixture(FILES)
    const root = fixture.path.replace(/\/$/, '')
    git(root, 'init', '-q')
    chownSync(root, 12_345, 12_345)
    chownSync(join(root, '.git'), 12_345, 12_345)
    vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null')
    try {
      await expect(listProjectFiles(skillIn(root))).rejects.toThrow(/It says: fatal: detected dubious ownership/)
    } finally {
      vi.unstubAllEnvs()
    }
  },
)
