import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { findChanges, walkWorkspace, type WalkLimits } from '../../../src/session/file-changes.ts'
import { agentWorkspace } from '../../support/agent-workspace.ts'
import type { FileChanges } from '../../../src/transcript/transcript.ts'

const NONE: FileChanges = { created: [], modified: [], deleted: [], unreadable: [] }

async function changesAfter(
  tree: Record<string, string>,
  act: (root: string, outside: string) => void,
  limits: WalkLimits = {},
): Promise<FileChanges> {
  await using workspace = await agentWorkspace(tree)
  const before = await walkWorkspace(workspace.root, limits)
  act(workspace.root, workspace.outside)
  return await findChanges(workspace.root, before, limits)
}

function file(path: string, content: string): FileChanges['created'][number] {
  return { path, size: Buffer.byteLength(content), hash: createHash('sha256').update(content).digest('hex') }
}

test('tells created, modified and deleted by content', async () => {
  const changes = await changesAfter(
    { 'same.txt': 'a', 'touched.txt': 'a', 'edited.txt': 'a', 'old/gone.txt': 'a' },
    (root) => {
      mkdirSync(`${root}/output`)
      writeFileSync(`${root}/output/new.txt`, 'new')
      writeFileSync(`${root}/touched.txt`, 'a')
      writeFileSync(`${root}/edited.txt`, 'b')
      rmSync(`${root}/old`, { recursive: true })
    },
  )
  expect(changes).toEqual({
    ...NONE,
    created: [file('output/new.txt', 'new')],
    modified: [file('edited.txt', 'b')],
    deleted: ['old/gone.txt'],
  })
})

test('F12: a fixture that the agent edits is modified, whatever it does to the times', async () => {
  const changes = await changesAfter({ 'a.txt': 'one' }, (root) => {
    const { atime, mtime } = statSync(`${root}/a.txt`)
    writeFileSync(`${root}/a.txt`, 'two')
    utimesSync(`${root}/a.txt`, atime, mtime)
  })
  expect(changes).toEqual({ ...NONE, modified: [file('a.txt', 'two')] })
})

test('an edit within the grain of the clock is seen', async () => {
  for (let round = 0; round < 20; round += 1) {
    const changes = await changesAfter({ 'a.txt': 'one' }, (root) => writeFileSync(`${root}/a.txt`, 'two'))
    expect(changes.modified).toEqual([file('a.txt', 'two')])
  }
})

test('a file that has rested is not read again', async () => {
  await using workspace = await agentWorkspace({ 'a.txt': 'one' })
  await new Promise((resolve) => setTimeout(resolve, 60))
  const before = await walkWorkspace(workspace.root)
  const after = await walkWorkspace(workspace.root, {}, before)
  expect(after.files.get('a.txt')).toBe(before.files.get('a.txt'))
})

test('a file that became a folder is deleted', async () => {
  const changes = await changesAfter({ a: 'one' }, (root) => {
    rmSync(`${root}/a`)
    mkdirSync(`${root}/a`)
  })
  expect(changes).toEqual({ ...NONE, deleted: ['a'] })
})

test('H1: links and pipes are named; of hard links and sparse files is known that they are there', async () => {
  const changes = await changesAfter({ 'was.txt': 'a' }, (root, outside) => {
    writeFileSync(`${outside}/secret`, 'secret')
    symlinkSync('/etc/hostname', `${root}/link`)
    symlinkSync('/etc', `${root}/etc`)
    rmSync(`${root}/was.txt`)
    symlinkSync(`${outside}/secret`, `${root}/was.txt`)
    linkSync(`${outside}/secret`, `${root}/hard`)
    execFileSync('mkfifo', [`${root}/pipe`])
    writeFileSync(`${root}/sparse`, '')
    truncateSync(`${root}/sparse`, 5_368_709_120)
  })
  expect(changes).toEqual({
    ...NONE,
    created: [file('hard', 'secret'), { path: 'sparse', size: 5_368_709_120, hash: null }],
    unreadable: [
      { path: 'etc', reason: 'is a symbolic link', kind: 'other', isNew: true },
      { path: 'link', reason: 'is a symbolic link', kind: 'other', isNew: true },
      { path: 'pipe', reason: 'is a named pipe', kind: 'other', isNew: true },
      { path: 'was.txt', reason: 'is a symbolic link', kind: 'other', isNew: false },
    ],
  })
})

test('a file that is not read is there, is modified by its size, and may be modified where its size is the same', async () => {
  const tree = {
    grows: 'aaaa',
    shrinks: 'a'.repeat(20),
    linked: 'aa',
    edited: 'aa',
    rewritten: 'b'.repeat(20),
    rests: 'c'.repeat(20),
  }
  const act = (root: string): void => {
    writeFileSync(`${root}/grows`, 'a'.repeat(11))
    writeFileSync(`${root}/new`, 'a'.repeat(11))
    writeFileSync(`${root}/shrinks`, 'a')
    writeFileSync(`${root}/rewritten`, 'a'.repeat(20))
    writeFileSync(`${root}/edited`, 'bb')
    for (const name of ['linked', 'edited']) linkSync(`${root}/${name}`, `${root}/${name}.too`)
  }
  expect(await changesAfter(tree, act, { fileBytes: 10 })).toEqual({
    created: [file('edited.too', 'bb'), file('linked.too', 'aa'), { path: 'new', size: 11, hash: null }],
    modified: [file('edited', 'bb'), { path: 'grows', size: 11, hash: null }, file('shrinks', 'a')],
    deleted: [],
    unreadable: [{ path: 'rewritten', reason: 'is larger than 0 MiB', kind: 'unread', isNew: false }],
  })
})

test('H1: what could not be read before and is as it was is no change', async () => {
  await using workspace = await agentWorkspace()
  symlinkSync('/etc/hostname', `${workspace.root}/link`)
  const before = await walkWorkspace(workspace.root)
  expect(await findChanges(workspace.root, before)).toEqual(NONE)
})

test('H2: odd names are names; one that is no text is named as unreadable', async () => {
  const names = ['-rf', '$(touch x)', 'a\nb', '\u001B[2J', ' ']
  const changes = await changesAfter({}, (root) => {
    for (const name of names) writeFileSync(`${root}/${name}`, '')
    writeFileSync(Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xff, 0xfe])]), 'secret')
    mkdirSync(Buffer.concat([Buffer.from(`${root}/d`), Buffer.from([0xff])]))
  })
  expect(changes.created.map(({ path }) => path)).toEqual(names.toSorted())
  expect(changes.unreadable).toEqual([
    { path: 'd\\x??', reason: 'has a name that is not UTF-8', kind: 'hidden', isNew: true },
    { path: 'x\\x??\\x??', reason: 'has a name that is not UTF-8', kind: 'hidden', isNew: true },
  ])
})

test('H3: a tree of 1000 levels is looked at to some depth', { timeout: 60_000 }, async () => {
  const changes = await changesAfter({ 'a.txt': 'a' }, (root) => makeDeepTree(root, 1000))
  expect(changes.created).toEqual([])
  expect(changes.deleted).toEqual([])
  expect(changes.unreadable.map(({ reason }) => reason)).toEqual(['is nested deeper than 256 folders'])
})

test('H3: a walk is cut at its limits, says so, and does not take the rest for deleted', async () => {
  const tree = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, '']))
  await using workspace = await agentWorkspace(tree)
  const before = await walkWorkspace(workspace.root)
  const cut = await findChanges(workspace.root, before, { entries: 10 })
  expect(cut).toEqual({
    ...NONE,
    unreadable: [
      { path: '.', reason: 'was not read completely: more than 10 files and folders', kind: 'hidden', isNew: false },
    ],
  })
  const late = await findChanges(workspace.root, before, { deadlineMs: 0 })
  expect(late).toEqual({
    ...NONE,
    unreadable: [
      { path: '.', reason: 'was not read completely: 0 seconds were not enough', kind: 'hidden', isNew: false },
    ],
  })
  rmSync(`${workspace.root}/f3`)
  expect((await findChanges(workspace.root, before, { deadlineMs: 0 })).deleted).toEqual(['f3'])
})

test('H3: bytes in all are capped', async () => {
  const changes = await changesAfter(
    {},
    (root) => {
      writeFileSync(`${root}/a`, 'x'.repeat(60))
      writeFileSync(`${root}/b`, 'x'.repeat(60))
    },
    { totalBytes: 100 },
  )
  expect(changes.created.filter(({ hash }) => hash === null).length).toBe(1)
  expect(changes.unreadable).toEqual([])
})

test.skipIf(process.getuid?.() === 0)(
  'H3: a folder without permissions is named (root may enter it all the same)',
  async () => {
    const changes = await changesAfter({ 'a/b': '' }, (root) => chmodSync(`${root}/a`, 0))
    expect(changes).toEqual({
      ...NONE,
      unreadable: [{ path: 'a', reason: 'may not be opened', kind: 'hidden', isNew: true }],
    })
  },
)

test('H4: a repository whose config runs programs is read as files', async () => {
  const changes = await changesAfter({}, (root) => {
    mkdirSync(`${root}/.git`)
    writeFileSync(`${root}/.git/config`, `[core]\n\tfsmonitor = touch ${root}/ran\n`)
    appendFileSync(`${root}/.gitattributes`, '* filter=x')
  })
  expect(changes.created.map(({ path }) => path)).toEqual(['.git/config', '.gitattributes'])
})

test('a moved file is a deleted and a created one', async () => {
  const changes = await changesAfter({ a: 'one' }, (root) => renameSync(`${root}/a`, `${root}/b`))
  expect(changes).toEqual({ ...NONE, created: [file('b', 'one')], deleted: ['a'] })
})

function makeDeepTree(root: string, depth: number): void {
  const script = `process.chdir(process.argv[1]); for (let i = 0; i < ${depth}; i += 1) { require('fs').mkdirSync('d'); process.chdir('d') }`
  execFileSync(process.execPath, ['-e', script, root])
}
