import { expect, test } from 'vitest'
import { describeNoEffect } from '../../../../src/report/results/decide-outcome.ts'
import type { Issue } from '../../../../src/lib/documents/document.ts'

const note = (file: string, line: number, field: string): Issue => ({
  file: `/repo/${file}`,
  line,
  column: 1,
  field,
  code: 'no-effect',
  message: 'has no effect: unknown field',
  severity: 'warning',
  noEffect: true,
})

const NOTES = [note('a/evals.json', 3, 'evals.0.kind'), note('a/evals.json', 9, 'evals.1.kind')]
const MORE = [note('b/evals.json', 4, '0.kind'), note('b/evals.json', 5, '0.split')]

test('a field without effect has one line for the repository, and --verbose shows each place', () => {
  expect(describeNoEffect('/repo', [...NOTES, ...MORE], false)).toEqual([
    'kind: has no effect: unknown field (3 places in 2 files, first a/evals.json:3)',
    'split: has no effect: unknown field (b/evals.json:5)',
  ])
  expect(describeNoEffect('/repo', [...NOTES, ...MORE], true)).toEqual([
    'a/evals.json:3 evals.0.kind: has no effect: unknown field',
    'a/evals.json:9 evals.1.kind: has no effect: unknown field',
    'b/evals.json:4 0.kind: has no effect: unknown field',
    'b/evals.json:5 0.split: has no effect: unknown field',
  ])
})
