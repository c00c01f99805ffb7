import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { isChangedSince, readReference } from '../../../src/recordings/reference.ts'

const FOLDER = 'pkg/evals/recordings/cases/one'
const FILE = `${FOLDER}/claude-code.1.json`

interface Repository extends AsyncDisposable {
  readonly root: string
  git(...words: readonly string[]): void
  /** Whether the recording counts as changed since the first commit. */
  isChanged(file?: string): Promise<boolean>
}

async function repository(...init: readonly string[]): Promise<Repository> {
  const fixture = await createFixture({ [FILE]: '{\n  "a": "ü"\n}\n', 'pkg/evals/evals.json': '{}' })
  const root = realpathSync(fixture.path)
  const git = (...words: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: root, stdio: 'pipe' })
  git('init', '-q', '-b', 'main', ...init)
  git('add', '-A')
  git('commit', '-q', '-m', 'one')
  git('tag', 'first')
  return {
    root,
    git,
    isChanged: async (file = FILE) => isChangedSince(await readReference(root, 'first'), join(root, file)),
    [Symbol.asyncDispose]: () => fixture.rm(),
  }
}

test.for([[], ['--object-format=sha256']])('the recording of the commit is the same (%j)', async (init) => {
  await using one = await repository(...init)
  expect(await one.isChanged()).toBe(false)
  expect(await one.isChanged(`${FOLDER}/codex.1.json`)).toBe(false)
  writeFileSync(join(one.root, FILE), '{\r\n  "a": "ü"\r\n}\r\n')
  expect(await one.isChanged()).toBe(false)
  writeFileSync(join(one.root, FILE), '{\n  "a": "u"\n}\n')
  expect(await one.isChanged()).toBe(true)
})

test.for<[string, (root: string, git: Repository['git']) => void]>([
  ['is changed and committed', (root, git) => (writeFileSync(join(root, FILE), '{}'), git('commit', '-qam', 'two'))],
  [
    'is changed and said to be unchanged',
    (root, git) => (git('update-index', '--assume-unchanged', FILE), writeFileSync(join(root, FILE), '{}')),
  ],
  [
    'is hidden by attributes',
    (root) => (
      writeFileSync(join(root, '.gitattributes'), '*.json -diff ident\n'),
      writeFileSync(join(root, FILE), '{}')
    ),
  ],
  ['is deleted', (root) => rmSync(join(root, FILE))],
  ['is a folder', (root) => (rmSync(join(root, FILE)), mkdirSync(join(root, FILE)))],
  [
    'is reached through a link',
    (root) => (renameSync(join(root, FOLDER), join(root, 'kept')), symlinkSync('../../../../kept', join(root, FOLDER))),
  ],
  [
    'is a link',
    (root) => (
      renameSync(join(root, FILE), join(root, 'kept.json')),
      symlinkSync('../../../../../kept.json', join(root, FILE))
    ),
  ],
  ['is part of another checkout', (root) => mkdirSync(join(root, 'pkg/.git'))],
])('one that %s is changed', async ([, change]) => {
  await using one = await repository()
  change(one.root, one.git)
  expect(await one.isChanged()).toBe(true)
})

test.for<[string, (root: string, file: string, git: Repository['git']) => void]>([
  ['added', (_root, file, git) => (writeFileSync(file, '{}'), git('add', '-A'), git('commit', '-qm', 'two'))],
  ['not tracked', (_root, file) => writeFileSync(file, '{}')],
  ['ignored', (root, file) => (writeFileSync(join(root, '.gitignore'), 'codex.*\n'), writeFileSync(file, '{}'))],
  [
    'copied from a current one',
    (root, file, git) => (git('mv', FILE, `${FOLDER}/codex.1.json`), expect(file).toContain(root)),
  ],
])('one that was %s is changed', async ([, change]) => {
  await using one = await repository()
  const added = `${FOLDER}/codex.1.json`
  change(one.root, join(one.root, added), one.git)
  expect(await one.isChanged(added)).toBe(true)
})

test('a commit that Git does not know, and a folder without Git, are named', async () => {
  await using one = await repository()
  await expect(readReference(one.root, 'origin/main')).rejects.toMatchObject({
    code: 'invalid-options',
    message: expect.stringMatching(/^--require-live origin\/main: Git knows no such commit\. .*fetch-depth: 0/),
  })
  rmSync(join(one.root, '.git'), { recursive: true })
  await expect(readReference(one.root, 'main')).rejects.toMatchObject({
    code: 'invalid-options',
    message: expect.stringContaining('is in no checkout of Git'),
  })
})
