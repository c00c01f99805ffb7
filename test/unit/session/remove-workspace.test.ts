import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { afterEach, expect, test } from 'vitest'
import { removeTree } from '../../../src/session/remove-tree.ts'
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

test('S6: a workspace whose removal is interrupted still tells whose it is', async () => {
  const files = Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`root/f${index}`, '']))
  await using fixture = await createFixture({ ...files, 'root/owner.json': '{}', 'root/z/owner.json': '' })
  const root = fixture.getPath('root')
  expect(await removeTree(root, 0)).toBe('it took too long')
  expect(readdirSync(root)).toContain('owner.json')
  expect(await removeTree(root, Number.POSITIVE_INFINITY)).toBe(null)
  expect(existsSync(root)).toBe(false)
})

test('removing what is gone is no problem', async () => {
  await using fixture = await createFixture({})
  expect(await removeWorkspace(fixture.getPath('none'))).toBe(null)
})

test('H3: folders without permissions are removed by an ordinary user', async () => {
  if (isRoot) process.seteuid?.(NOBODY)
  const parent = mkdtempSync(join(realpathSync(tmpdir()), 'locked-'))
  const root = join(parent, 'root')
  mkdirSync(join(root, 'a/b/c'), { recursive: true })
  writeFileSync(join(root, 'a/b/c/file'), '')
  writeFileSync(join(root, 'a/file'), '')
  for (const path of ['a/b/c/file', 'a/b/c', 'a/b', 'a', '.']) chmodSync(join(root, path), 0)
  expect(await removeWorkspace(root)).toBe(null)
  expect(readdirSync(parent)).toEqual([])
  await removeWorkspace(parent)
})

test('H3: a tree of 3000 levels is removed', { timeout: 60_000 }, async () => {
  await using fixture = await createFixture({})
  const root = fixture.getPath('root')
  mkdirSync(root)
  const script = `process.chdir(process.argv[1]); for (let i = 0; i < 3000; i += 1) { require('fs').mkdirSync('d'); process.chdir('d') }`
  execFileSync(process.execPath, ['-e', script, root])
  expect(await removeWorkspace(root)).toBe(null)
  expect(existsSync(root)).toBe(false)
})

test('H3: what takes too long is set aside with a warning, not thrown', { timeout: 60_000 }, async () => {
  const tree = Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`root/f${index}`, '']))
  await using fixture = await createFixture(tree)
  const parent = realpathSync(fixture.path)
  expect(await removeWorkspace(`${parent}/root`, 0)).toBe(
    `The workspace could not be removed: it took too long. The rest is in ${parent}/.trash-root; remove it manually.`,
  )
  expect(readdirSync(parent)).toEqual(['.trash-root'])
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
    expect(warning).toBe(
      `The workspace could not be removed: EPERM: operation not permitted, unlink '${file}'. ` +
        `The rest is in ${parent}/.trash-root; remove it manually.`,
    )
    expect(readdirSync(`${parent}/.trash-root`)).toEqual(['a'])
  } finally {
    execFileSync('chattr', ['-i', `${parent}/.trash-root/a/immutable`])
  }
})
