import { execFileSync } from 'node:child_process'
import { symlink, truncate } from 'node:fs/promises'
import { createServer } from 'node:net'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import type { CopyLimits } from '../../../../src/session/inputs/list-files.ts'
import { fixtureFiles, listNamed } from '../../../../src/session/inputs/named-files.ts'
import { AT } from '../../../support/agent-package.ts'

async function withTree(tree: Record<string, string>, run: (files: Files) => Promise<void> | void): Promise<void> {
  await using fixture = await createFixture({ 'evals/fixtures': {}, 'evals/cases/a.yaml': '', ...tree })
  const root = fixture.path.replace(/\/$/, '')
  const declaration = { packageRoot: root, caseFile: `${root}/evals/cases/a.yaml` }
  await run({
    root,
    of: (path, limits) => fixtureFiles([{ from: `${root}/evals/${path}`, to: path, at: AT }], declaration, limits),
  })
}

interface Files {
  readonly root: string
  readonly of: (path: string, limits?: CopyLimits) => ReturnType<typeof fixtureFiles>
}

const WHERE = '(evals/cases/a.yaml:7:5)'

test('a file stands for itself, a folder for all it holds', () =>
  withTree({ 'evals/fixtures/a.txt': 'abc', 'evals/fixtures/deep/b.txt': '' }, ({ of }) => {
    expect(of('fixtures/a.txt').map(({ to, size, entry }) => [to, size, entry])).toEqual([
      ['fixtures/a.txt', 3, `"fixtures/a.txt" ${WHERE}`],
    ])
    expect(of('fixtures').map(({ to }) => to)).toEqual(['fixtures/a.txt', 'fixtures/deep/b.txt'])
  }))

test('F1: a source outside the package is refused', () =>
  withTree({}, ({ of }) => {
    expect(() => of('../../other.txt')).toThrow(
      expect.objectContaining({
        code: 'unsafe-path',
        message: `"../../other.txt" ${WHERE} is outside the package. Put what the agent needs below evals/fixtures/.`,
      }),
    )
  }))

test('F3: a missing fixture names its entry', () =>
  withTree({}, ({ of, root }) => {
    expect(() => of('fixtures/none.txt')).toThrow(
      expect.objectContaining({
        code: 'missing-input',
        message: `"fixtures/none.txt" ${WHERE} names ${root}/evals/fixtures/none.txt, which does not exist. Add the file or correct the entry.`,
      }),
    )
  }))

test('F4: a link is what it leads to in the repository, and refused where it leads out or to what stays out', () =>
  withTree(
    { 'evals/fixtures/a.txt': 'abc', 'evals/plain/b.txt': '', 'skills/s/evals/evals.json': '{}' },
    async ({ of, root }) => {
      await symlink('a.txt', `${root}/evals/fixtures/inside`)
      await symlink('plain', `${root}/evals/linked`)
      const found = [...of('fixtures'), ...of('linked'), ...of('linked/b.txt')]
      expect(found.map(({ to, file }) => [to, file.slice(root.length + 7)])).toEqual([
        ['fixtures/a.txt', 'fixtures/a.txt'],
        ['fixtures/inside', 'fixtures/a.txt'],
        ['linked/b.txt', 'plain/b.txt'],
        ['linked/b.txt', 'plain/b.txt'],
      ])
      await symlink('/etc/hostname', `${root}/evals/fixtures/outside`)
      await symlink('loop', `${root}/evals/fixtures/loop`)
      await symlink('../cases', `${root}/evals/fixtures/key`)
      await symlink('../skills/s', `${root}/evals/skill`)
      const messages = ['outside', 'loop', 'key'].map((name) => messageOf(() => of(`fixtures/${name}`)))
      expect(messages.map((text) => / which (.+?)\. Put/.exec(text)?.[1])).toEqual([
        'is a symbolic link that leads out',
        'is a symbolic link that leads nowhere',
        'contains the expected answers',
      ])
      expect(messageOf(() => of('skill'))).toContain(
        'would show the agent evals/skill/evals/evals.json, which contains the expected',
      )
      expect(messageOf(() => of('fixtures'))).toContain(
        'would show the agent evals/fixtures/key, which is a symbolic link to',
      )
    },
  ))

test('F5: pipes, sockets and devices are refused', () =>
  withTree({}, async ({ of, root }) => {
    execFileSync('mkfifo', [`${root}/evals/fixtures/pipe`])
    const server = createServer().listen(`${root}/evals/fixtures/sock`)
    const messages = ['pipe', 'sock'].map((name) => messageOf(() => of(`fixtures/${name}`)))
    server.close()
    expect(messages).toEqual([
      `"fixtures/pipe" ${WHERE} would show the agent evals/fixtures/pipe, which is a named pipe. Put what the agent needs below evals/fixtures/.`,
      `"fixtures/sock" ${WHERE} would show the agent evals/fixtures/sock, which is a socket. Put what the agent needs below evals/fixtures/.`,
    ])
  }))

test('F6: a sparse 3 GB file, too many files and too much in all are refused without reading', () =>
  withTree(
    { 'evals/fixtures/big': '', 'evals/many/a': '12', 'evals/many/b': '123', 'evals/many/c': '' },
    async ({ of, root }) => {
      await truncate(`${root}/evals/fixtures/big`, 3_221_225_472)
      const advice = 'Move what no session needs elsewhere; of a project, let git ignore it, or set projectCopy: false.'
      expect(messageOf(() => of('fixtures/big'))).toBe(
        `What the case of "fixtures/big" ${WHERE} names holds more than 20,000 files or 1024 MiB, and each run gets a copy. ${advice}`,
      )
      const limits = { files: 10, bytes: 1_048_576 }
      expect(messageOf(() => of('many', { ...limits, files: 2 }))).toContain(
        `${root}/evals/many holds more than 2 files or 1 MiB, and each run gets a copy.`,
      )
      await truncate(`${root}/evals/many/a`, 1_048_576)
      expect(messageOf(() => of('many', limits))).toContain('many holds more than 10 files or 1 MiB')
    },
  ))

test('what stays out of an overlay is named', async () => {
  await using fixture = await createFixture({ 'setup/a.md': 'a', 'shop/.env': 'A=1', 'shop/a.md': 'a' })
  const root = fixture.path.replace(/\/$/, '')
  expect(listNamed(`${root}/setup`, root)).toMatchObject({ files: [{ path: 'a.md' }], leftOut: [] })
  expect(listNamed(`${root}/shop`, root)).toMatchObject({
    files: [{ path: 'a.md' }],
    leftOut: [{ path: '.env', why: 'may contain secrets' }],
  })
})

test.each([
  'cases/a.yaml',
  'cases',
  'reports/r.json',
  'recordings/r.json',
  'eval-config.json',
  'triggers.json',
  'Reports/r.json',
])('F8: the answers in %s are never given to the agent', (path) =>
  withTree({ [`evals/${path === 'cases' ? 'cases/b.yaml' : path}`]: '' }, ({ of }) => {
    expect(messageOf(() => of(path))).toMatch(/which contains the expected answers/)
  }),
)

test.each([
  ['.env', 'may contain secrets'],
  ['apps/shop/.env.local', 'may contain secrets'],
  ['.npmrc', 'may contain secrets'],
  ['.git/config', 'is part of a git repository'],
  ['skills/other/evals/evals.json', 'contains the expected answers'],
  ['plugins/other/evals/recordings/a/r.json', 'contains the expected answers'],
  ['evals/other/triggers.json', 'contains the expected answers'],
])('%s beside the evals is never given to the agent', (path, why) =>
  withTree({ [path]: '', 'evals/fixtures/a': '' }, ({ of }) => {
    expect(messageOf(() => of(`../${path}`))).toContain(`which ${why}. Put what the agent needs below evals/fixtures/.`)
  }),
)

test.each(['.env', 'repo/evals/evals.json', 'cases/a.yaml'])('%s below the fixtures is data', (path) =>
  withTree({ [`evals/fixtures/${path}`]: '' }, ({ of }) => {
    expect(of(`fixtures/${path}`)).toHaveLength(1)
  }),
)

function messageOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}
