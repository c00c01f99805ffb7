import { execFileSync } from 'node:child_process'
import { chmod, symlink } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { readText } from '../../../../src/lib/documents/read-text.ts'

const reason = async (file: string, maxBytes?: number): Promise<string | undefined> =>
  (await readText(file, maxBytes)).issue?.message

test('reads a regular file', async () => {
  await using fixture = await createFixture({ 'a.yaml': 'a: ä' })
  expect(await readText(fixture.getPath('a.yaml'))).toEqual({ text: 'a: ä', issue: null })
})

test('C26 a link, a pipe, a folder and a missing file are refused without waiting', async () => {
  await using fixture = await createFixture({ 'real.yaml': 'a: 1', 'folder/x': '' })
  await symlink(fixture.getPath('real.yaml'), fixture.getPath('link.yaml'))
  await symlink(fixture.getPath('loop.yaml'), fixture.getPath('loop.yaml'))
  execFileSync('mkfifo', [fixture.getPath('pipe.yaml')])
  expect(await reason(fixture.getPath('link.yaml'))).toBe('is a symbolic link, not a regular file')
  expect(await reason(fixture.getPath('loop.yaml'))).toBe('is a symbolic link, not a regular file')
  expect(await reason(fixture.getPath('pipe.yaml'))).toBe('is a named pipe, not a regular file')
  expect(await reason(fixture.getPath('folder'))).toBe('is a folder, not a regular file')
  expect(await reason(fixture.getPath('none.yaml'))).toBe('the file does not exist')
  expect(await reason(fixture.getPath('real.yaml/x'))).toBe('the file does not exist')
})

test.skipIf(process.getuid?.() === 0)('C26 a file without permissions (root reads everything)', async () => {
  await using fixture = await createFixture({ 'a.yaml': 'a: 1' })
  await chmod(fixture.getPath('a.yaml'), 0)
  expect(await reason(fixture.getPath('a.yaml'))).toBe('the file cannot be read; check its permissions')
})

test('a file over the limit is not read', async () => {
  await using fixture = await createFixture({ 'a.yaml': 'x'.repeat(2048) })
  expect(await reason(fixture.getPath('a.yaml'), 1024)).toBe('the file is larger than 1 KiB')
})
