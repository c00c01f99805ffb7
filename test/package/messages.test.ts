import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { collectMessages } from '../../scripts/messages.mjs'
import { REPOSITORY } from '../support/repository.ts'

const messages = collectMessages('src')

test('the messages of every room are collected', () => {
  const rooms = new Set(messages.map(({ file }) => file.split('/')[1]))
  for (const room of ['agent', 'case', 'cli', 'gateway', 'judges', 'page', 'sandbox', 'suites', 'vitest'])
    expect(rooms).toContain(room)
  expect(messages.length).toBeGreaterThan(1000)
})

// In prompts and in the words by which statements are understood they are part of the subject.
const OTHER =
  /^src\/judges\/(?:prompt|rubric\/rubric-\w+|schema|statements\/statement-\w+|evidence\/write-evidence)\.ts$|^src\/vitest\/matchers\/to-score/

const AVOIDED =
  /\b(?:told|said|heard|spoken|whoever|nobody|somebody|mend|stands? for|belongs?|lies|in vain|letter for letter)\b/i

test('no message has a word to avoid', () => {
  const found = messages.filter(({ file, text }) => AVOIDED.test(text) && !OTHER.test(file))
  expect(found.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([])
})

test('no comment has a word to avoid', async () => {
  const files = await glob('src/**/*.{ts,tsx}', { cwd: REPOSITORY })
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(REPOSITORY, file), 'utf8') })),
  )
  const comments = texts.flatMap(({ file, text }) =>
    (text.match(/(?<=^|\s)\/\/ .*|^ *\/?\*.*/gm) ?? []).map((comment) => `${file} ${comment.trim()}`),
  )
  expect(comments.length).toBeGreaterThan(1000)
  expect(comments.filter((comment) => AVOIDED.test(comment))).toEqual([])
})

// The fix may follow after a colon or a semicolon.
test('no message begins with a statement of more than 20 words', () => {
  const long = messages
    .map(({ file, line, text }) => ({ at: `${file}:${line}`, statement: text.split(/(?<=[.!?:;]…?)\s+/)[0] ?? '' }))
    .filter(({ at, statement }) => statement.split(' ').length > 20 && !isProgram(at))
  expect(long).toEqual([])
})

test('no message has a sentence of more than 35 words', () => {
  const sentences = messages.flatMap(({ file, line, text }) =>
    text.split(/(?<=[.!?])\s+/).map((sentence) => ({ at: `${file}:${line}`, sentence })),
  )
  const long = sentences.filter(({ at, sentence }) => sentence.split(' ').length > 35 && !isProgram(at))
  expect(long).toEqual([])
})

// Prompts and scripts.
function isProgram(at: string): boolean {
  return /^src\/(?:judges\/|sandbox\/|vitest\/matchers\/to-score|gateway\/secrets)/.test(at)
}
