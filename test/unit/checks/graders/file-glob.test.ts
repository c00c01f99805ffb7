import { expect, test } from 'vitest'
import { matchesGlob } from '../../../../src/checks/graders/file-glob.ts'

test.each([
  ['*.md', 'a.md', true],
  ['*.md', 'a/b.md', false],
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'a/b/c.md', true],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a/**/b', 'axb', false],
  ['**b', 'a/x/b', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', true],
  ['a?c', 'ac', false],
  ['[a]', '[a]', true],
  ['[a]', 'a', false],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['**', 'a/b\nc', true],
])('%s and %j: %s', (glob, path, expected) => {
  expect(matchesGlob(glob, path)).toBe(expected)
})

test('many stars take no longer than the path', () => {
  expect(matchesGlob(`${'*a'.repeat(40)}b`, 'a'.repeat(250))).toBe(false)
  expect(matchesGlob(`${'**/'.repeat(2000)}b`, `${'a/'.repeat(120)}c`)).toBe(false)
})
