import { expect, test } from 'vitest'
import { nearestName, similarName, suggestName } from '../../../../src/lib/documents/nearest-name.ts'

const KNOWN = ['contains', 'not-contains', 'files-created', 'agent-blocked', 'name', 'target']

test.each([
  ['contians', 'contains'],
  ['not_contains', 'not-contains'],
  ['filesCreated', 'files-created'],
  ['Name', 'name'],
  ['nmae', 'name'],
  ['agent-block', 'agent-blocked'],
  ['tags', null],
  ['timeout', null],
  ['x', null],
  ['', null],
])('%s', (name, nearest) => {
  expect(nearestName(name, KNOWN)).toBe(nearest)
})

test.each([
  ['contians', 'contains'],
  ['files', 'files-created'],
  ['Blocked', 'agent-blocked'],
  ['filesCreatedNow', null],
  ['no', null],
])('similar to %s is %s', (name, similar) => {
  expect(similarName(name, KNOWN)).toBe(similar)
})

test('a long hostile name costs nothing', () => {
  expect(nearestName('a'.repeat(1_000_000), KNOWN)).toBeNull()
})

test('suggestName', () => {
  expect(suggestName('contians', KNOWN)).toBe(' Did you mean "contains"?')
  expect(suggestName('zzz', KNOWN)).toBe('')
})

test('a name in another Unicode form is told from its twin', () => {
  const [nfc, nfd] = [café('NFC'), café('NFD')]
  expect(suggestName(nfc, [nfd])).toBe(` Did you mean "${nfd}" in Unicode form NFD?`)
  expect(suggestName(nfd, [nfc])).toBe(` Did you mean "${nfc}" in Unicode form NFC?`)
  expect(suggestName(`${nfc}s`, [nfc])).toBe(` Did you mean "${nfc}"?`)
})

function café(form: string): string {
  return 'café'.normalize(form)
}
