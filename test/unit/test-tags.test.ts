import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'
import { mayMatch } from '../support/select-files.ts'

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

test('a run begins only the files that may have a test with its tags', async () => {
  const { scripts } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const filterOf = (name: string): readonly string[] => [/--tags-filter "([^"]+)"/.exec(scripts[name] ?? '')?.[1] ?? '']
  const files = {
    plain: "test('a', () => {})",
    slow: tagged('codex', 'slow'),
    'one slow test': "test('a', { tags: ['slow'] }, () => {})",
    majors: 'describeOnMajors(title, [], body)',
  }
  const chosen = (filters: readonly string[]): readonly string[] =>
    Object.entries(files).flatMap(([name, text]) => (mayMatch(text, filters) ? [name] : []))

  expect(chosen(filterOf('test'))).toEqual(['plain', 'one slow test', 'majors'])
  expect(chosen(filterOf('test:rest'))).toEqual(['slow', 'one slow test', 'majors'])
  expect(chosen([])).toEqual(Object.keys(files))
  // What is not understood leaves nothing out.
  expect(chosen(['not (slow or major)'])).toEqual(Object.keys(files))
})

// In two parts, or Vitest would take them for the tags of this file.
function tagged(...tags: readonly string[]): string {
  const mark = ['@module', 'tag'].join('-')
  return tags.map((tag) => `// ${mark} ${tag}\n`).join('')
}
