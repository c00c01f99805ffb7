import { expect, test } from 'vitest'
import { matchesWhole } from '../../../src/lib/patterns.ts'

test.each([
  ['Edit', 'Edit', true],
  ['Edit', 'NotebookEdit', false],
  ['Edit|Write', 'Write', true],
  ['mcp__.*', 'mcp__a__b', true],
  ['', '', true],
  ['(', 'a', false],
])('%j is %j: %s', (pattern, text, expected) => {
  expect(matchesWhole(pattern, text)).toBe(expected)
})

test('a pattern that would take for ever matches nothing', () => {
  for (let index = 0; index < 1000; index += 1) expect(matchesWhole('(a+)+', `${'a'.repeat(60)}${index}`)).toBe(false)
})
