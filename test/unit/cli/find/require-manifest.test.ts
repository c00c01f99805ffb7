import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { requireManifest } from '../../../../src/cli/find/require-install.ts'
import { runProcess } from '../../../../src/sandbox/process/run-process.ts'

test('a named pipe as package.json is refused in every folder above, and a file, a link or none is not', async () => {
  await using fixture = await createFixture({ 'a/b/c/.keep': '', 'a/real.json': '{}' })
  const inside = join(fixture.path, 'a/b/c')
  requireManifest(inside)
  writeFileSync(join(inside, 'package.json'), '{}')
  symlinkSync('../real.json', join(fixture.path, 'a/b/package.json'))
  mkdirSync(join(fixture.path, 'package.json'))
  requireManifest(inside)
  const pipe = join(fixture.path, 'a/package.json')
  await runProcess('mkfifo', [pipe], { env: { PATH: process.env['PATH'] ?? '' }, cwd: fixture.path })
  expect(() => requireManifest(inside)).toThrow(`${pipe} is a named pipe, not a regular file.`)
})
