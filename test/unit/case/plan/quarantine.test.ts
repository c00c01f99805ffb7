import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { findIdle, findQuarantine, settleQuarantine, type QuarantineEntry } from '../../../../src/options/quarantine.ts'
import { resolveOptions } from '../../../../src/options/resolve-options.ts'

const entry = (given: Partial<QuarantineEntry> = {}): QuarantineEntry => ({
  case: 'pdf',
  reason: 'flaky',
  since: '2026-10-01',
  expiry: '2026-12-01',
  ...given,
})
const on = (day: string, ...entries: readonly QuarantineEntry[]) =>
  settleQuarantine(entries, new Date(`${day}T23:59:59Z`))

test('the last day counts, and the day after does not', () => {
  expect(on('2026-12-01', entry())).toMatchObject([{ expired: false }])
  expect(on('2026-12-02', entry())).toMatchObject([{ expired: true }])
})

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
  const one = { name: 'pdf', id: 'evals/cases/pdf.yaml#pdf' }
  expect(findQuarantine(one, on('2026-11-01', entry({ case: pattern }))) !== null).toBe(isNamed)
})

test('an id names the case on every engine and model, and a name that one alone', () => {
  const one = { name: 'Extracts text (codex, gpt-x)', id: 'evals/evals.json#text@gpt-x', model: 'gpt-x' }
  const find = (pattern: string) => findQuarantine(one, on('2026-11-01', entry({ case: pattern })))
  expect(find('text')).not.toBeNull()
  expect(find('Extracts text (codex, gpt-x)')).not.toBeNull()
  expect(find('Extracts text')).toBeNull()
})

test('a query that holds the signs of a glob is named by its text', () => {
  const one = { name: 'Which [pdf] is it?', id: 'evals/triggers.json#t-1' }
  expect(findQuarantine(one, on('2026-11-01', entry({ case: 'Which [pdf] is it?' })))).not.toBeNull()
})

test('of two entries one that counts wins, and one that names no case is found', () => {
  const entries = on(
    '2026-11-01',
    entry({ expiry: '2026-10-02', reason: 'old' }),
    entry({ case: 'p*' }),
    entry({ case: 'gone' }),
  )
  const one = { name: 'pdf', id: 'a#pdf' }
  expect(findQuarantine(one, entries)).toMatchObject({ reason: 'flaky', expired: false })
  expect(findIdle(entries, [one]).map((idle) => idle.case)).toEqual(['gone'])
})

test.each([
  [
    { ...entry(), expiry: '2026-02-30' },
    'option `quarantine.0.expiry` of agentEvals() is "2026-02-30": expected a day',
  ],
  [{ ...entry(), since: 'soon' }, '`quarantine.0.since` of agentEvals() is "soon": expected a day, such as 2026-12-31'],
  [
    { ...entry(), expiry: '2026-09-01' },
    '`quarantine.0.expiry` of agentEvals() is "2026-09-01": expected a day that is not before since, 2026-10-01',
  ],
  [{ ...entry(), reason: '  ' }, 'option `quarantine.0.reason` of agentEvals()'],
  [{ case: 'pdf', reason: 'r', since: '2026-10-01' }, 'option `quarantine.0.expiry` of agentEvals() is missing'],
  [{ ...entry(), until: '2026-12-01' }, 'option `quarantine.0.until` of agentEvals()'],
])('%o is refused with its place', (given, message) => {
  expect(() => resolveOptions({ quarantine: [given as QuarantineEntry] }, {})).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining(message) }),
  )
})

test('a file of entries is checked as the option is', () => {
  const file = join(import.meta.dirname, '../../../../schemas/quarantine.schema.json')
  const validate = new Ajv2020({ strict: true, formats: { date: true } }).compile(
    JSON.parse(readFileSync(file, 'utf8')) as object,
  )
  for (const entries of [
    [],
    [entry()],
    [{ ...entry(), owner: 'me' }],
    [{ case: 'pdf', reason: 'flaky', since: '2026-10-01' }],
    [entry({ reason: '' })],
    [entry({ since: 'today' })],
  ]) {
    const takes = (): unknown => resolveOptions({ quarantine: entries as readonly QuarantineEntry[] }, {})
    if (validate(entries)) expect(takes, JSON.stringify(entries)).not.toThrow()
    else expect(takes, JSON.stringify(entries)).toThrow('quarantine')
  }
  expect(validate([entry()])).toBe(true)
  expect(validate([entry({ since: 'today' })])).toBe(false)
})
