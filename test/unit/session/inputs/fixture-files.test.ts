import { execFileSync } from 'node:child_process'
import { chmod, symlink, truncate } from 'node:fs/promises'
import { createServer } from 'node:net'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { fixtureFiles, type FixtureLimits } from '../../../../src/session/inputs/fixture-files.ts'
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
  readonly of: (path: string, limits?: FixtureLimits) => ReturnType<typeof fixtureFiles>
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
        message: `"../../other.txt" ${WHERE} is outside the package. Copy it below evals/fixtures/ and name it there.`,
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

test('F4: a link is refused wherever it leads, and so is what lies below one', () =>
  withTree({ 'evals/fixtures/a.txt': '' }, async ({ of, root }) => {
    await symlink('a.txt', `${root}/evals/fixtures/inside`)
    await symlink('/etc/hostname', `${root}/evals/fixtures/outside`)
    await symlink('loop', `${root}/evals/fixtures/loop`)
    await symlink('fixtures', `${root}/evals/linked`)
    const refused = (text: string) =>
      expect.objectContaining({ code: 'unsafe-path', message: expect.stringContaining(text) })
    for (const name of ['inside', 'outside', 'loop'])
      expect(() => of(`fixtures/${name}`)).toThrow(refused('is a symbolic link.'))
    expect(() => of('linked/a.txt')).toThrow(refused('is below a folder that is a symbolic link.'))
    expect(() => of('fixtures')).toThrow(refused('holds "loop", which is a symbolic link'))
  }))

test('F5: pipes, sockets, devices and setuid files are refused', () =>
  withTree({ 'evals/fixtures/su': '' }, async ({ of, root }) => {
    execFileSync('mkfifo', [`${root}/evals/fixtures/pipe`])
    await chmod(`${root}/evals/fixtures/su`, 0o4755)
    const server = createServer().listen(`${root}/evals/fixtures/sock`)
    const messages = ['pipe', 'su', 'sock'].map((name) => messageOf(() => of(`fixtures/${name}`)))
    server.close()
    expect(messages).toEqual([
      `"fixtures/pipe" ${WHERE} is a named pipe. Fixtures are regular files; put a copy of it there instead.`,
      `"fixtures/su" ${WHERE} carries a setuid or setgid bit. Remove it with chmod ug-s.`,
      `"fixtures/sock" ${WHERE} is a socket. Fixtures are regular files; put a copy of it there instead.`,
    ])
  }))

test('F6: a sparse 3 GB file, too many files and too much in all are refused without reading', () =>
  withTree(
    { 'evals/fixtures/big': '', 'evals/many/a': '12', 'evals/many/b': '123', 'evals/many/c': '' },
    async ({ of, root }) => {
      await truncate(`${root}/evals/fixtures/big`, 3_221_225_472)
      expect(messageOf(() => of('fixtures/big'))).toBe(
        `"fixtures/big" ${WHERE} is larger than 256 MiB (evals/fixtures/big). Use a smaller fixture.`,
      )
      const limits = { files: 10, fileBytes: 1_048_576, totalBytes: 1_048_576 }
      expect(messageOf(() => of('many', { ...limits, files: 2 }))).toBe(
        `"many" ${WHERE} is one of more than 2 files in all. Use a smaller fixture.`,
      )
      await truncate(`${root}/evals/many/a`, 1_048_576)
      expect(messageOf(() => of('many', limits))).toBe(
        `"many" ${WHERE} is the largest of files that are more than 1 MiB in all. Use a smaller fixture.`,
      )
    },
  ))

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
