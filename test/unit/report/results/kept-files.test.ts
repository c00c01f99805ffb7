import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import {
  copyKept,
  keepChangedFiles,
  keepTextsBefore,
  readIndex,
  type KeepLimits,
  type LeftFile,
} from '../../../../src/report/results/kept-files.ts'
import { createRedactor } from '../../../../src/gateway/redact.ts'
import { findChanges, walkWorkspace } from '../../../../src/session/file-changes.ts'
import { agentWorkspace } from '../../../support/agent-workspace.ts'

interface Kept {
  readonly to: string
  readonly left: readonly LeftFile[]
  /** Contents of the stored files by their path in the workspace. */
  readonly contents: Readonly<Record<string, string>>
}

async function keepAfter(
  act: (root: string) => void,
  check: (kept: Kept) => void,
  options: { readonly limits?: KeepLimits; readonly afterwards?: (root: string) => void } = {},
): Promise<void> {
  await using workspace = await agentWorkspace({ 'a.txt': 'one' })
  const { root, outside } = workspace
  const before = await walkWorkspace(root)
  act(root)
  const changes = await findChanges(root, before)
  options.afterwards?.(root)
  const to = `${outside}/run/artifacts`
  const redactor = createRedactor({ API_KEY: 'hunter2-hunter22' })
  const left = await keepChangedFiles({ root, changes, to, redactor, limits: options.limits ?? {} })
  const contents = readIndex(to).map(({ path, name }) => [path, readFileSync(`${to}/${name}`, 'utf8')])
  check({ to, left, contents: Object.fromEntries(contents) })
}

const STORED = /^(?:index\.json|[0-9a-f]{64})$/

test('stores created and modified files by hash, as plain files without an extension', () =>
  keepAfter(
    (root) => {
      mkdirSync(`${root}/out`)
      writeFileSync(`${root}/out/evil.test.ts`, 'new')
      chmodSync(`${root}/out/evil.test.ts`, 0o755)
      writeFileSync(`${root}/a.txt`, 'two! hunter2-hunter22')
      writeFileSync(`${root}/same.txt`, 'new')
    },
    ({ to, left, contents }) => {
      expect(left).toEqual([])
      expect(contents).toEqual({ 'out/evil.test.ts': 'new', 'same.txt': 'new', 'a.txt': 'two! [REDACTED:API_KEY]' })
      const entries = readdirSync(to, { recursive: true, withFileTypes: true })
      expect(entries.filter((entry) => !entry.isFile() || !STORED.test(entry.name))).toEqual([])
      expect(entries).toHaveLength(3)
      for (const { name } of readIndex(to)) expect(lstatSync(`${to}/${name}`).mode & 0o777).toBe(0o644)
    },
  ))

test('without changes there is no folder', () =>
  keepAfter(
    () => undefined,
    ({ to }) => expect(existsSync(to)).toBe(false),
  ))

test('a bare repository becomes none, and control characters of names stay in the index', () =>
  keepAfter(
    (root) => {
      for (const folder of ['bare/objects', 'bare/refs']) mkdirSync(`${root}/${folder}`, { recursive: true })
      writeFileSync(`${root}/bare/HEAD`, 'ref: refs/heads/main')
      writeFileSync(`${root}/bare/config`, '[core]\n\tfsmonitor = evil')
      writeFileSync(`${root}/\u001B[2J`, '')
    },
    ({ to, contents }) => {
      expect(Object.keys(contents).toSorted()).toEqual(['\u001B[2J', 'bare/HEAD', 'bare/config'])
      expect(readdirSync(to).filter((name) => !STORED.test(name))).toEqual([])
      expect(readFileSync(`${to}/index.json`, 'utf8')).not.toContain('\u001B')
    },
  ))

test('files of a git folder are neither stored nor named', () =>
  keepAfter(
    (root) => {
      mkdirSync(`${root}/.git`)
      writeFileSync(`${root}/.git/config`, '[core]\n\tfsmonitor = evil')
    },
    ({ to, left }) => {
      expect(left).toEqual([])
      expect(existsSync(to)).toBe(false)
    },
  ))

test('a file that was swapped or changed after the walk is left out', () =>
  keepAfter(
    (root) => {
      writeFileSync(`${root}/changed`, 'aaa')
      writeFileSync(`${root}/gone`, '')
      writeFileSync(`${root}/linked`, 'aaa')
    },
    ({ to, left }) => {
      expect(left).toEqual([
        { path: 'changed', reason: 'changed after the run had ended' },
        { path: 'gone', reason: 'does not exist' },
        { path: 'linked', reason: 'is a symbolic link' },
      ])
      expect(existsSync(to)).toBe(false)
    },
    {
      afterwards(root) {
        writeFileSync(`${root}/changed`, 'bbb')
        rmSync(`${root}/gone`)
        rmSync(`${root}/linked`)
        symlinkSync('/etc/hostname', `${root}/linked`)
      },
    },
  ))

test.each([
  [{ files: 1 }, 'comes after 1 others'],
  [{ fileBytes: 5 }, 'is larger than 5 bytes'],
  [{ totalBytes: 12 }, 'comes after 12 bytes of others'],
])('%j is a limit', (limits, reason) =>
  keepAfter(
    (root) => {
      writeFileSync(`${root}/x`, 'x'.repeat(5))
      writeFileSync(`${root}/y`, 'y'.repeat(10))
    },
    ({ left, contents }) => {
      expect(Object.keys(contents)).toEqual(['x'])
      expect(left).toEqual([{ path: 'y', reason }])
    },
    { limits },
  ),
)

test('keeps what files held before beside what they hold now, and copies both under the hashes of their contents', () =>
  keepAfter(
    (root) => {
      writeFileSync(`${root}/a.txt`, 'two')
      writeFileSync(`${root}/b.test.js`, Buffer.from('89504e470d0a1a0a', 'hex'))
    },
    ({ to }) => {
      keepTextsBefore(to, [{ path: 'a.txt', text: 'one' }], createRedactor({}))
      const copy = `${to}-copy`
      copyKept(to, copy, readIndex(to))
      const copied = readIndex(copy).map(({ path, when, name }) => [
        path,
        when,
        readFileSync(`${copy}/${name}`, 'latin1'),
      ])
      expect(copied).toEqual([
        ['b.test.js', 'after', '\u0089PNG\r\n\u001A\n'],
        ['a.txt', 'after', 'two'],
        ['a.txt', 'before', 'one'],
      ])
      expect(readdirSync(copy).filter((name) => name.includes('.'))).toEqual(['index.json'])
    },
  ))

test.each(['../../secret', 'a.test.ts', '/etc/passwd', 'x'.repeat(64)])(
  'an index that names %s names nothing',
  (name) =>
    keepAfter(
      (root) => writeFileSync(`${root}/b`, 'b'),
      ({ to }) => {
        const files = [{ path: 'b', when: 'after', name, type: 'text/plain' }]
        writeFileSync(`${to}/index.json`, JSON.stringify({ version: 1, files }))
        expect(readIndex(to)).toEqual([])
      },
    ),
)
