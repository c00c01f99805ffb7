import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { docFiles } from '../support/doc-files.ts'
import { REPOSITORY } from '../support/repository.ts'

const readme = await readFile(join(REPOSITORY, 'README.md'), 'utf8')
const snippets = Object.entries(await docFiles('README.md'))

test('the quick start has the four files that it needs', () => {
  expect(snippets.map(([path]) => path)).toEqual([
    'vitest.config.ts',
    'evals/eval-config.json',
    'evals/cases/hook-blocks-protected-write.yaml',
    'evals/scenarios/hook-blocks-protected-write.yaml',
  ])
})

test.for(snippets)('%s of the quick start is the file of the example package', async ([path, text]) => {
  expect(text.trimEnd()).toBe((await readFile(join(REPOSITORY, 'example-package', path), 'utf8')).trimEnd())
})

test('there are exactly two set-up commands', () => {
  const commands = [...readme.matchAll(/^npm ci && .*$/gm)].map(([line]) => line)
  expect(commands).toEqual(['npm ci && npm run evals', 'npm ci && npm test'])
})
