import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { makeFolders } from '../../../../src/report/results/start-run.ts'

test('makes all that are missing, and takes those that are there', async () => {
  await using folder = await createFixture()
  const path = join(folder.path, 'a/b/c')
  makeFolders(path)
  makeFolders(path)
  expect(existsSync(path)).toBe(true)
})

test.runIf(process.platform === 'linux')('where none can be made it says so, and does not try for ever', () => {
  expect(() => makeFolders('/proc/agent-evals/reports')).toThrow()
})
