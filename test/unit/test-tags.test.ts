import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

const ENGINES = ['claude-code', 'codex', 'copilot', 'no-engine']

test('every end-to-end file says by its tags which engine it starts', async () => {
  const folder = join(REPOSITORY, 'test/e2e')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'))
  const texts = await Promise.all(
    files.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })),
  )
  const untagged = texts.filter(({ text }) => !ENGINES.some((engine) => text.includes(`// @module-tag ${engine}\n`)))

  expect(untagged.map(({ name }) => name)).toEqual([])
})
