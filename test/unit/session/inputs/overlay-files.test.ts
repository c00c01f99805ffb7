import { truncate } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { listOverlay } from '../../../../src/session/inputs/project-files.ts'

test('an overlay of too many files, or of a sparse 10 GB file, is refused without reading it', async () => {
  await using fixture = await createFixture({ 'setup/a.md': 'a', 'setup/b.md': 'b', 'setup/c.md': 'c' })
  const root = fixture.path.replace(/\/$/, '')
  expect(listOverlay(`${root}/setup`, root).files.map(({ path }) => path)).toEqual(['a.md', 'b.md', 'c.md'])
  const refused = (message: string): Error => expect.objectContaining({ code: 'workspace-failed', message }) as Error
  expect(() => listOverlay(`${root}/setup`, root, { files: 2, bytes: 100 })).toThrow(
    refused('The overlay "setup" has more than 2 files, and each run gets a copy. Use a smaller fixture.'),
  )
  await truncate(`${root}/setup/b.md`, 10 * 1024 ** 3)
  expect(() => listOverlay(`${root}/setup`, root)).toThrow(
    refused('The overlay "setup" has more than 512 MiB, and each run gets a copy. Use a smaller fixture.'),
  )
})
