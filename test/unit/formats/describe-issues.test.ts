import { expect, test } from 'vitest'
import { describeErrors, describeNoEffect, joinNoEffect } from '../../../src/formats/describe-issues.ts'
import type { Issue } from '../../../src/lib/documents/document.ts'

const note = (file: string, line: number, field: string): Issue => ({
  file: `/repo/${file}`,
  line,
  column: 1,
  field,
  code: 'no-effect',
  message: 'has no effect',
  severity: 'warning',
  noEffect: true,
})

const NOTES = [note('a/evals.json', 3, 'evals.0.kind'), note('a/evals.json', 9, 'evals.1.kind')]
const MORE = [note('b/evals.json', 4, '0.kind'), note('b/evals.json', 5, '0.split')]

test('a field without effect has one line for the repository, and --verbose shows each place', () => {
  expect(describeNoEffect('/repo', [...NOTES, ...MORE], false)).toEqual([
    '"kind" has no effect (3 places in 2 files, first a/evals.json:3)',
    '"split" has no effect (b/evals.json:5)',
  ])
  expect(describeNoEffect('/repo', [...NOTES, ...MORE], true)).toEqual([
    'a/evals.json:3 "evals.0.kind" has no effect',
    'a/evals.json:9 "evals.1.kind" has no effect',
    'b/evals.json:4 "0.kind" has no effect',
    'b/evals.json:5 "0.split" has no effect',
  ])
})

test('what is wrong in many places has one line, and --verbose shows each', () => {
  const missing = (line: number, path: string): Issue => {
    const { noEffect: _, ...place } = note('a/evals.json', line, `evals.${line}.files.0`)
    return { ...place, severity: 'error', code: 'file-missing', message: `${path} does not exist` }
  }
  const errors = [missing(2, 'a.md'), missing(4, 'b.md'), missing(6, 'a.md')]
  expect(describeErrors('/repo', [...errors, ...NOTES], false)).toEqual([
    'files: a.md does not exist (2 places in 1 file, first a/evals.json:2)',
    'a/evals.json:4:1 evals.4.files.0: b.md does not exist',
  ])
  expect(describeErrors('/repo', errors, true)).toEqual([
    'a/evals.json:2:1 evals.2.files.0: a.md does not exist',
    'a/evals.json:4:1 evals.4.files.0: b.md does not exist',
    'a/evals.json:6:1 evals.6.files.0: a.md does not exist',
  ])
})

test('a name of a file that has no effect in many entries is one note with their number', () => {
  const other: Issue = { ...note('a/evals.json', 9, 'evals.1.id'), code: 'missing-field', message: 'missing' }
  const joined = joinNoEffect([...NOTES, other, { ...other, line: 12 }])
  expect(joined.map(({ line, field, message }) => [line, field, message])).toEqual([
    [3, 'evals.0.kind', 'has no effect (2 entries)'],
    [9, 'evals.1.id', 'missing (2 entries)'],
  ])
})
