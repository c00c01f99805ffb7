import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { readVersion } from '../../../src/session/read-version.ts'

const IDENTITY = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']

function git(cwd: string, words: readonly string[], input: Buffer | string = ''): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }
  return execFileSync('git', [...IDENTITY, ...words], { cwd, input, encoding: 'utf8', env }).trim()
}

type Row = readonly [mode: string, name: string, hash: string]

// Git itself makes no such tree, and checks none that is written in this way.
function treeOf(cwd: string, rows: readonly Row[]): string {
  const bytes = rows.map(([mode, name, hash]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, 'hex')]),
  )
  return git(cwd, ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], Buffer.concat(bytes))
}

async function repository() {
  const place = await createFixture({ 'repository/a.txt': 'a\n' })
  const root = join(place.path, 'repository')
  git(root, ['init', '--quiet', '--initial-branch=main'])
  const blob = (text: string): string => git(root, ['hash-object', '-w', '--stdin'], text)
  const version = (rows: readonly Row[]) => {
    const ref = git(root, ['commit-tree', treeOf(root, rows), '-m', 'Begin'])
    return readVersion({ root, ref, cwd: root, to: join(place.path, 'before') })
  }
  return { place, root, blob, version, [Symbol.asyncDispose]: () => place.rm() }
}

test('files, links and programs are laid out as Git has them', async () => {
  await using it = await repository()
  const sub = treeOf(it.root, [['100755', 'run.sh', it.blob('echo\n')]])
  await it.version([
    ['100644', 'empty', it.blob('')],
    ['120000', 'link', it.blob('sub')],
    ['40000', 'sub', sub],
  ])
  const to = join(it.place.path, 'before')
  expect(readdirSync(to).toSorted()).toEqual(['.git', 'empty', 'link', 'sub'])
  expect(readFileSync(join(to, 'link/run.sh'), 'utf8')).toBe('echo\n')
  expect(readFileSync(join(to, 'empty'), 'utf8')).toBe('')
})

const ODD: readonly (readonly [string, (it: Awaited<ReturnType<typeof repository>>) => readonly Row[]])[] = [
  ['a folder above', ({ root, blob }) => [['40000', '..', treeOf(root, [['100644', 'evil', blob('x')]])]]],
  [
    'a link of its own',
    ({ root, blob }) => [
      ['120000', 'way', blob('..')],
      ['40000', 'way', treeOf(root, [['100644', 'evil', blob('x')]])],
    ],
  ],
  [
    'a submodule behind a link',
    ({ root, blob }) => [
      ['120000', 'way', blob('..')],
      ['40000', 'way', treeOf(root, [['160000', 'evil', '1'.repeat(40)]])],
    ],
  ],
  [
    'the checkout that it becomes',
    ({ root, blob }) => [['40000', '.GIT', treeOf(root, [['100644', 'config', blob('[core]')]])]],
  ],
  [
    'one path twice',
    ({ blob }) => [
      ['100644', 'a', blob('x')],
      ['100644', 'a', blob('y')],
    ],
  ],
]

test.each(ODD)('a tree that names %s writes nothing outside', async (_, rows) => {
  await using it = await repository()
  const refused = await it.version(rows(it)).catch((error: unknown) => error)
  if (refused instanceof Error) expect(refused).toMatchObject({ code: 'invalid-options' })
  expect(existsSync(join(it.place.path, 'evil'))).toBe(false)
})

test('Git runs no filter, and changes line ends as the version asks for', async () => {
  await using it = await repository()
  git(it.root, ['config', 'filter.shout.smudge', 'tr a-z A-Z'])
  await it.version([
    ['100644', '.gitattributes', it.blob('a.txt filter=shout\nb.txt text eol=crlf\n')],
    ['100644', 'a.txt', it.blob('a\n')],
    ['100644', 'b.txt', it.blob('b\n')],
  ])
  expect(readFileSync(join(it.place.path, 'before/a.txt'), 'utf8')).toBe('a\n')
  expect(readFileSync(join(it.place.path, 'before/b.txt'), 'utf8')).toBe('b\r\n')
})

test('a submodule has what the version pins, and one whose commit is not fetched is named', async () => {
  await using it = await repository()
  await using library = await createFixture({ 'notes.md': 'old\n' })
  const inner = join(it.root, 'vendor/library')
  const save = (cwd: string): string => {
    git(cwd, ['add', '--all'])
    git(cwd, ['commit', '--quiet', '-m', 'Save'])
    return git(cwd, ['rev-parse', 'HEAD'])
  }
  git(library.path, ['init', '--quiet', '--initial-branch=main'])
  save(library.path)
  git(it.root, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, 'vendor/library'])
  const pinned = save(it.root)
  writeFileSync(join(inner, 'notes.md'), 'new\n')
  save(inner)
  const bumped = save(it.root)

  const read = (ref: string) => readVersion({ root: it.root, ref, cwd: it.root, to: join(it.place.path, ref) })
  const notesOf = (ref: string): string => readFileSync(join(it.place.path, ref, 'vendor/library/notes.md'), 'utf8')
  expect([(await read(pinned)).notices, notesOf(pinned)]).toEqual([[], 'old\n'])
  expect([(await read(bumped)).notices, notesOf(bumped)]).toEqual([[], 'new\n'])
  expect(git(it.root, ['status', '--porcelain'])).toBe('')

  rmSync(inner, { recursive: true })
  const { notices } = await readVersion({ root: it.root, ref: pinned, cwd: it.root, to: join(it.place.path, 'lost') })
  expect(notices).toEqual([expect.stringContaining('git submodule update --init vendor/library')])
  expect(existsSync(join(it.place.path, 'lost/vendor/library/notes.md'))).toBe(false)
})
