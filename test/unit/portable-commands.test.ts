import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectTexts } from '../../scripts/messages.mjs'

const REPOSITORY = join(import.meta.dirname, '../..')
const PAGES = [
  'README.md',
  'example-package/README.md',
  ...readdirSync(join(REPOSITORY, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
]
// Reading them takes its time.
const TEXTS = collectTexts('src').map(({ text }) => text)
const PROGRAM = String.raw`(?:npx|vitest|vitest-agent-evals|agent-evals|node|npm)\b`

/** Commands that PowerShell and cmd.exe do not take: a variable before the program, and words in single quotes. */
function unportable(text: string): readonly string[] {
  return [
    ...text.matchAll(new RegExp(String.raw`\b[A-Z][A-Z0-9_]*=\S+ +(?=[^\n]*)${PROGRAM}[^\n]*`, 'g')),
    ...text.matchAll(/\bnpx (?:vitest|vitest-agent-evals|agent-evals)\b[^\n`]* '[^\n]*/g),
  ].map(([command]) => command)
}

test.for(PAGES)('every command of %s runs in sh, PowerShell and cmd.exe alike', (page) => {
  expect(unportable(readFileSync(join(REPOSITORY, page), 'utf8'))).toEqual([])
})

test('so does every command that a message has', () => {
  expect(TEXTS.flatMap(unportable)).toEqual([])
})

test('a share is written without a space, as 0%', () => {
  const spaced = (text: string): boolean => /(?:\d|…) %/.test(text)
  expect(TEXTS.filter((text) => text.includes('%')).length).toBeGreaterThan(5)
  expect(TEXTS.filter(spaced)).toEqual([])
  expect(PAGES.filter((page) => spaced(readFileSync(join(REPOSITORY, page), 'utf8')))).toEqual([])
})
