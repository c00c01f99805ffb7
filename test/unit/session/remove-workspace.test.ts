import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { afterEach, expect, test } from 'vitest'
import { removeWorkspace } from '../../../src/session/workspace.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

afterEach(() => {
  if (isRoot) process.seteuid?.(0)
})

test('removes a tree without following its links', async () => {
  await using fixture = await createFixture({ 'root/a/b/c.txt': '', 'kept/a.txt': '' })
  symlinkSync(fixture.getPath('kept'), fixture.getPath('root/link'))
  symlinkSync('/etc/hostname', fixture.getPath('root/a/file'))
  expect(await removeWorkspace(fixture.getPath('root'))).toBe(null)
  expect(readdirSync(fixture.path)).toEqual(['kept'])
  expect(existsSync(fixture.getPath('kept/a.txt'))).toBe(true)
})

test('follows no link where it opens folders', async () => {
  if (isRoot) process.seteuid?.(NOBODY)
  const parent = mkdtempSync(join(realpathSync(tmpdir()), 'linked-'))
  for (const name of ['root/a', 'kept']) mkdirSync(join(parent, name), { recursive: true })
  writeFileSync(join(parent, 'kept/file'), '')
  symlinkSync(join(parent, 'kept'), join(parent, 'root/a/link'))
  for (const name of ['root/a', 'kept']) chmodSync(join(parent, name), 0o500)
  expect(await removeWorkspace(join(parent, 'root'))).toBe(null)
  expect(readdirSync(parent)).toEqual(['kept'])
  expect([statSync(join(parent, 'kept')).mode & 0o777, readdirSync(join(parent, 'kept'))]).toEqual([0o500, ['file']])
  await removeWorkspace(parent)
})

test('removing what is gone is no problem', async () => {
  await using fixture = await createFixture({})
  expect(await removeWorkspace(fixture.getPath('none'))).toBe(null)
})

test.for([
  ['without permissions', 0],
  ['that are read-only, as those of Go are,', 0o500],
] as const)('H3: folders %s are removed by an ordinary user', async ([, mode]) => {
  if (isRoot) process.seteuid?.(NOBODY)
  const parent = mkdtempSync(join(realpathSync(tmpdir()), 'locked-'))
  const root = join(parent, 'root')
  mkdirSync(join(root, 'a/b/c'), { recursive: true })
  writeFileSync(join(root, 'a/b/c/file'), '')
  writeFileSync(join(root, 'a/file'), '')
  for (const path of ['a/b/c/file', 'a/b/c', 'a/b', 'a', '.']) chmodSync(join(root, path), mode)
  expect(await removeWorkspace(root)).toBe(null)
  expect(readdirSync(parent)).toEqual([])
  await removeWorkspace(parent)
})

test('H3: an immutable file is a warning that names it', async ({ skip }) => {
  await using fixture = await createFixture({ 'root/a/immutable': '', 'root/b': '' })
  const parent = realpathSync(fixture.path)
  const file = `${parent}/root/a/immutable`
  try {
    execFileSync('chattr', ['+i', file], { stdio: 'ignore' })
  } catch {
    skip('files cannot be made immutable here')
  }
  try {
    const warning = await removeWorkspace(`${parent}/root`)
    expect(warning).toMatch(/^The workspace could not be removed: E/)
    expect(warning).toContain(`'${file}'. Remove ${parent}/root manually.`)
    expect(readdirSync(`${parent}/root`)).toEqual(['a'])
  } finally {
    execFileSync('chattr', ['-i', `${parent}/root/a/immutable`])
  }
})
