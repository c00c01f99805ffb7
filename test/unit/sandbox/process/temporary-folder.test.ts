import { statSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createTemporaryFolder } from '../../../../src/sandbox/process/git.ts'

test('makes a folder for this user only, and says in one line why it cannot', async () => {
  await using fixture = await createFixture({ file: '', 'folder/x': '' })
  const made = createTemporaryFolder('a-', fixture.getPath('folder'))
  expect(statSync(made).mode & 0o777).toBe(0o700)
  const problemOf = (base: string): unknown => {
    try {
      return createTemporaryFolder('a-', base)
    } catch (error) {
      return error
    }
  }
  for (const [name, problem] of [
    ['file', 'it is not a folder'],
    ['nothing', 'it does not exist'],
    ['x'.repeat(300), 'no folder can be made there (ENAMETOOLONG)'],
  ] as const) {
    const base = fixture.getPath(name)
    const message = `Cannot use ${base} for temporary files: ${problem}. Set TMPDIR to a folder that can be written.`
    expect(problemOf(base)).toMatchObject({ code: 'workspace-failed', message })
  }
})
