import { expect, test } from 'vitest'
import { isCreated, isListed, isUnchanged } from '../../../src/checks/file-facts.ts'
import type { FileChanges, UnreadFile } from '../../../src/transcript/transcript.ts'

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
  expect(isCreated(glob, changes([path])).is).toBe(expected ? 'yes' : 'no')
})

test('a glob is decided for 100,000 paths, and one with too many stars is unknown', () => {
  const paths = Array.from({ length: 100_000 }, (_, index) => `${'a/'.repeat(40)}${'b'.repeat(40)}${index}`)
  expect(isCreated('**/*.md', changes(paths)).is).toBe('no')
  expect(isCreated(`${'**/'.repeat(2000)}c`, changes(paths)).is).toBe('no')
  expect(isCreated(`${'*a'.repeat(40)}b`, changes(['a'.repeat(250)]))).toMatchObject({
    is: 'unknown',
    because: 'the pattern took longer than 2 s; rewrite it without nested repetitions',
  })
})

test.each<[string, Partial<UnreadFile>, string]>([
  ['out/*.md', { path: 'out/a.md', kind: 'other' }, 'unknown'],
  ['out/*.md', { path: 'out/a.md', kind: 'unread' }, 'unknown'],
  ['out/*.md', { path: 'node_modules/.bin/x', kind: 'other' }, 'no'],
  ['**/*.md', { path: 'node_modules/.bin/x', kind: 'other' }, 'no'],
  // A file through a link.
  ['out/a.md', { path: 'out', kind: 'other' }, 'unknown'],
  ['*/a.md', { path: 'out', kind: 'other' }, 'unknown'],
  ['out/a.md', { path: 'out', kind: 'unread' }, 'no'],
  // A folder that nobody could open, and a walk that was cut short.
  ['out/a.md', { path: 'out', kind: 'hidden' }, 'unknown'],
  ['**/a.md', { path: 'out', kind: 'hidden' }, 'unknown'],
  ['in/*.md', { path: 'out', kind: 'hidden' }, 'no'],
  ['out/a.md', { path: '.', kind: 'hidden', isNew: false }, 'unknown'],
  // It was there before.
  ['out/a.md', { path: 'out/a.md', kind: 'other', isNew: false }, 'no'],
])('whether %s was created beside %j: %s', (glob, entry, expected) => {
  expect(isCreated(glob, changes([], [entry])).is).toBe(expected)
})

test.each<[Partial<UnreadFile>, string]>([
  [{ path: 'data/a.md', kind: 'other', isNew: false }, 'unknown'],
  [{ path: 'data/a.md', kind: 'unread', isNew: false }, 'unknown'],
  // A folder above it became a link.
  [{ path: 'data', kind: 'other' }, 'unknown'],
  [{ path: '.', kind: 'hidden', isNew: false }, 'unknown'],
  [{ path: 'other', kind: 'other' }, 'yes'],
])('whether a fixture is unchanged beside %j: %s', (entry, expected) => {
  expect(isUnchanged('data/a.md', changes([], [entry])).is).toBe(expected)
})

test('a link in a folder that is a fixture is new beside it', () => {
  expect(isUnchanged('data', changes([], [{ path: 'data/bin/x', kind: 'other' }])).is).toBe('yes')
  expect(isUnchanged('data', changes([], [{ path: 'data/x', kind: 'hidden' }])).is).toBe('unknown')
})

test('what is behind something that was not read is unknown', () => {
  const { created, ...files } = changes(['out/b.md'], [{ path: 'out/link', kind: 'other' }])
  expect(isListed('out/b.md', created, files).is).toBe('yes')
  expect(isListed('out/link/x', created, files)).toMatchObject({ is: 'unknown', because: 'out/link is odd' })
  expect(isListed('out/c.md', created, files).is).toBe('no')
})

function changes(created: readonly string[], unreadable: readonly Partial<UnreadFile>[] = []): FileChanges {
  return {
    created: created.map((path) => ({ path, size: 1, hash: 'h' })),
    modified: [],
    deleted: [],
    unreadable: unreadable.map((one) => ({ path: '', reason: 'is odd', kind: 'other', isNew: true, ...one })),
  }
}
