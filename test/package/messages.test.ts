import { expect, test } from 'vitest'
import { collectMessages } from '../../scripts/messages.mjs'

const messages = collectMessages('src')

test('the messages of every room are collected', () => {
  const rooms = new Set(messages.map(({ file }) => file.split('/')[1]))
  for (const room of ['agent', 'case', 'cli', 'gateway', 'judges', 'page', 'sandbox', 'suites', 'vitest'])
    expect(rooms).toContain(room)
  expect(messages.length).toBeGreaterThan(1000)
})

// In prompts and in the words by which statements are understood they are part of the subject.
const OTHER =
  /^src\/judges\/(?:prompt|rubric-\w+|schema|statement-\w+|write-evidence)\.ts$|^src\/vitest\/matchers\/to-score/

test('no message has a word to avoid', () => {
  const avoided =
    /\b(?:told|said|heard|spoken|whoever|nobody|somebody|mend|stands? for|belongs?|lies|in vain|letter for letter)\b/i
  const found = messages.filter(({ file, text }) => avoided.test(text) && !OTHER.test(file))
  expect(found.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([])
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
