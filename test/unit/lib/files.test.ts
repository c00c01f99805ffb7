import { execFileSync } from 'node:child_process'
import { symlink, truncate } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { checkoutAround, foldersUpTo, listEntries, readTextFile, tryReadText } from '../../../src/lib/files.ts'

test('a link to a device, a pipe and an enormous file are not read', async () => {
  await using fixture = await createFixture({ 'plain.json': '{}', 'huge.json': '' })
  await symlink('plain.json', fixture.getPath('link.json'))
  await symlink('/dev/zero', fixture.getPath('device.json'))
  execFileSync('mkfifo', [fixture.getPath('pipe.json')])
  await truncate(fixture.getPath('huge.json'), 300 * 1024 ** 2)
  expect(readTextFile(fixture.getPath('link.json'))).toBe('{}')
  expect(() => readTextFile(fixture.getPath('huge.json'))).toThrow('huge.json is larger than 256 MiB')
  for (const [name, kind] of [
    ['device', 'a device'],
    ['pipe', 'a named pipe'],
  ]) {
    expect(() => readTextFile(fixture.getPath(`${name}.json`))).toThrow(`${name}.json is ${kind}`)
    expect(tryReadText(fixture.getPath(`${name}.json`))).toBeNull()
  }
})

test('a file of the system whose size is 0 is read', { skip: process.platform !== 'linux' }, () => {
  expect(readTextFile('/proc/self/stat')).toContain(String(process.pid))
})

test('folders upwards end at the root, or at the top where the root is elsewhere', async () => {
  expect(foldersUpTo('/a', '/a/b/c')).toEqual(['/a/b/c', '/a/b', '/a'])
  expect(foldersUpTo('/a', '/a')).toEqual(['/a'])
  expect(foldersUpTo('/x', '/a/b')).toEqual(['/a/b', '/a', '/'])
  await using fixture = await createFixture({ 'repo/.git/HEAD': '', 'repo/skills/pdf/SKILL.md': '' })
  expect(checkoutAround(fixture.getPath('repo/skills/pdf'))).toBe(fixture.getPath('repo'))
})

test('links are entries, and not followed', async () => {
  await using fixture = await createFixture({ 'deep/a.txt': '', 'deep/er/b.txt': '' })
  await symlink('..', fixture.getPath('deep/er/loop'))
  const names = listEntries(fixture.path, true).map(({ name }) => name)
  expect(names.toSorted()).toEqual(['a.txt', 'b.txt', 'deep', 'er', 'loop'])
  expect(listEntries(fixture.getPath('none'), true)).toEqual([])
})
