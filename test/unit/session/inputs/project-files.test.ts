import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { listProjectFiles, remarkOnOverlay } from '../../../../src/session/inputs/project-files.ts'

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

test('links within the project stay links, and _bmad comes along though git ignores it', async () => {
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
  const { files, links, leftOut } = await listProjectFiles(skillIn(root), [join(root, 'answers')])
  expect(files.map(({ path, link = '' }) => `${path} ${link}`.trim()).toSorted()).toEqual([
    '.gitignore',
    '_bmad/core/config.yaml',
    'a.txt',
    'docs/first.txt ../a.txt',
    'docs/guide/a.md',
    'src/app.ts',
    'src/skills/notes/SKILL.md',
  ])
  expect(links).toEqual([{ path: 'manual', link: 'docs/guide' }])
  expect(leftOut).toEqual([
    'big/',
    'host (is a symbolic link out of the folder)',
    'key (is a symbolic link to something that stays out)',
    'node_modules/',
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
    /has more than 2 files, and each artifact eval gets a copy\..+Add files that no eval needs to \.gitignore, or set projectCopy: false\./,
  )
})

test('an overlay that is empty, or that git ignores, is remarked on', async () => {
  await using fixture = await createFixture({
    '.gitignore': '.claude\nnode_modules\n',
    'full/a.txt': '',
    'part/.claude/skills/x/SKILL.md': '',
    'part/node_modules/x/index.js': '',
    'installed/node_modules/x/index.js': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  git(root, 'init', '-q')
  await fixture.mkdir('empty/deeper')
  expect(await remarkOnOverlay(join(root, 'empty'))).toBe('is empty, so it has no effect')
  expect(await remarkOnOverlay(join(root, 'full'))).toBeNull()
  expect(await remarkOnOverlay(join(root, 'part'))).toBe(
    'holds a file that git ignores (.claude/skills/x/SKILL.md), so a fresh clone does not have it; run git add --force',
  )
  // Nobody commits what is installed.
  expect(await remarkOnOverlay(join(root, 'installed'))).toBe(
    'holds node_modules, which git ignores, so a fresh clone does not have it; install it there before a run',
  )
})
