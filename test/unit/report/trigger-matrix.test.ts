import { expect, test } from 'vitest'
import { formatComparison, formatMatrix, formatStolen } from '../../../src/cli/format-triggers.ts'
import { buildTriggerMatrix } from '../../../src/report/trigger-matrix.ts'
import type { CaseResult } from '../../../src/results/result.ts'
import type { TriggerPart } from '../../../src/results/trigger-part.ts'

const PLAIN = (_: string, text: string): string => text

function query(part: Partial<TriggerPart>): CaseResult {
  const trigger: TriggerPart = {
    skill: 'notes',
    shouldTrigger: true,
    query: 'Write the notes.',
    runs: 3,
    completed: 3,
    fired: 3,
    firedInSubAgent: 0,
    errors: 0,
    timeouts: 0,
    rate: 1,
    interval: [0.44, 1],
    threshold: 0.5,
    firedInstead: [],
    canary: null,
    ...part,
  }
  return { trigger } as CaseResult
}

const RESULTS = [
  query({}),
  query({ query: 'Sum up\nthe \u001B[31mrelease.', fired: 1, firedInstead: [{ skill: 'letters', runs: 2 }] }),
  query({ skill: 'letters', fired: 2, completed: 2, errors: 1 }),
  query({ shouldTrigger: false, fired: 0, query: 'Write to the bank.', firedInstead: [{ skill: 'letters', runs: 3 }] }),
  query({ skill: null, fired: 0, completed: 0, timeouts: 3, rate: null }),
  { trigger: null } as CaseResult,
]

test('the matrix shows which queries made the agent use which skill', () => {
  const matrix = buildTriggerMatrix(RESULTS)
  expect(`\n${formatMatrix(matrix, PLAIN).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    queries for    letters  notes  runs  rate (95 % interval)        lost
    letters (1)          2      ·     2  100%, 2 of 2 (34% to 100%)     1
    notes (2)            2      4     6  67%, 4 of 6 (30% to 90%)
    not notes (1)        3      ·     3  0%, 0 of 3 (0% to 56%)
    any skill (1)        ·      ·     0  n/a (no run was completed)     3
    "
  `)
  expect(formatStolen(RESULTS)).toMatchInlineSnapshot(`
    [
      "letters was used instead of notes in 2 of 3 runs: Sum up\\nthe \\x1b[31mrelease.",
    ]
  `)
  expect(formatStolen(RESULTS, 0)).toEqual(['and 1 more'])
})

test('two descriptions are compared row by row', () => {
  const before = buildTriggerMatrix(RESULTS.slice(0, 4))
  const after = buildTriggerMatrix([query({}), query({})])
  expect(`\n${formatComparison(before, after, PLAIN).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    queries for    as it is                    with the other description
    letters (1)    100%, 2 of 2 (34% to 100%)  n/a (no run was completed)
    notes (2)      67%, 4 of 6 (30% to 90%)    100%, 6 of 6 (61% to 100%)
    not notes (1)  0%, 0 of 3 (0% to 56%)      n/a (no run was completed)
    "
  `)
})

test('without queries the table says so', () => {
  expect(formatMatrix(buildTriggerMatrix([]), PLAIN)).toEqual(['No trigger query was completed.'])
})
