import { expect, test } from 'vitest'
import { findQuoteIn, locateQuote } from '../../../src/page/locate-quote.ts'
import type { PageEvent } from '../../../src/report/page/page-data.ts'

function quoted(text: string, quote: string): readonly string[] | null {
  return findQuoteIn(text, quote)?.map(({ start, end }) => text.slice(start, end)) ?? null
}

test.for([
  ['the words', 'These are the words of it.', 'the words', ['the words']],
  ['space that differs', 'one\n  two', 'one two', ['one\n  two']],
  ['what was left out', 'first and then last', 'first … last', ['first', 'last']],
  ['quotation marks around it', 'the total is 4', '"the total is 4"', ['the total is 4']],
  ['an accent in two characters', 'cafe\u0301 on the quay', 'caf\u00E9 on', ['cafe\u0301 on']],
  ['an invisible character', 'se\u200Bcret word', 'secret word', ['se\u200Bcret word']],
  ['parts in another order', 'last, then first', 'first … last', null],
  ['no letter at all', 'a … b', '…', null],
  ['other words', 'one two', 'three', null],
] as const)('finds %s', ([, text, quote, found]) => {
  expect(quoted(text, quote)).toEqual(found)
})

const EVENTS: readonly PageEvent[] = [
  { n: 1, agent: null, kind: 'message', text: 'I will read it.' },
  { n: 2, agent: null, kind: 'tool-call', id: 'a', tool: 'Bash', input: { command: 'cat a.txt', list: ['x'] } },
  { n: 3, agent: null, kind: 'tool-result', id: 'a', text: 'Hello, World', isError: false, blockedBy: null },
  {
    n: 4,
    agent: null,
    kind: 'hook',
    event: 'stop',
    tool: null,
    decision: 'allowed',
    exitCode: 0,
    reason: 'all fine here',
  },
]
const FILES = [
  { path: 'a.txt', change: 'modified', size: 3, before: 'old words', after: 'new words', image: null, note: null },
] as const

test.for([
  ['a message', 'I will read', 'output', 'e1.text', 1],
  ['an input of a tool', 'cat a.txt', 'transcript', 'e2.input.command', 2],
  ['a result', 'Hello, World', 'transcript', 'e3.text', 3],
  ['a hook', 'all fine here', 'transcript', 'e4.reason', 4],
  ['a line of the evidence, with its number', '[m3] message\n| Hello, World', 'transcript', 'e3.text', 3],
  ['a file after the run', 'new words', 'a.txt', 'f:a.txt.after', null],
  ['a file before the run', 'old words', 'a.txt', 'f:a.txt.before', null],
] as const)('a quote from %s leads there', ([, quote, foundIn, first, event]) => {
  expect(locateQuote({ events: EVENTS, files: FILES }, quote, foundIn)).toMatchObject({ first, event })
})

test('a quote that no shown text holds leads nowhere', () => {
  expect(locateQuote({ events: EVENTS, files: FILES }, 'invented words', 'output')).toBeNull()
})
