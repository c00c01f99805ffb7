import { expect, test } from 'vitest'
import { findUnmatched, isInQuarantine } from '../../../src/options/quarantine.ts'
import { resolveOptions } from '../../../src/options/resolve-options.ts'

test.each([
  ['pdf', true],
  ['pdf-text', false],
  ['evals/cases/pdf.yaml#pdf', true],
  ['p*', true],
  ['?df', true],
  ['evals/cases/*', true],
  ['df', false],
  ['pd[f]', false],
])('the pattern %o names the case pdf: %o', (pattern, isNamed) => {
  expect(isInQuarantine({ name: 'pdf', id: 'evals/cases/pdf.yaml#pdf' }, [pattern])).toBe(isNamed)
})

test('an id names the case on every engine and model, and a name that one alone', () => {
  const one = { name: 'Extracts text (codex, gpt-x)', id: 'evals/evals.json#text@gpt-x', model: 'gpt-x' }
  expect(isInQuarantine(one, ['text'])).toBe(true)
  expect(isInQuarantine(one, ['Extracts text (codex, gpt-x)'])).toBe(true)
  expect(isInQuarantine(one, ['Extracts text'])).toBe(false)
})

test('a query that holds the signs of a glob is named by its text', () => {
  const one = { name: 'Which [pdf] is it?', id: 'evals/triggers.json#t-1' }
  expect(isInQuarantine(one, ['Which [pdf] is it?'])).toBe(true)
})

test('a pattern that names no case is found', () => {
  expect(findUnmatched(['p*', 'gone', 'pdf'], [{ name: 'pdf', id: 'a#pdf' }])).toEqual(['gone'])
})

test.each([[['']], [[{ case: 'pdf' }]], ['pdf']])('%j is refused', (given) => {
  expect(() => resolveOptions({ quarantine: given as readonly string[] }, {})).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining('`quarantine') }),
  )
})
