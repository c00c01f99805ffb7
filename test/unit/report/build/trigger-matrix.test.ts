import { expect, test } from 'vitest'
import { formatComparison, formatMatrix, formatStolen } from '../../../../src/cli/output/format-triggers.ts'
import { buildTriggerMatrix } from '../../../../src/report/build/trigger-matrix.ts'
import type { Paint } from '../../../../src/report/summary/terminal.ts'
import type { CaseResult, CaseTrigger } from '../../../../src/report/results/result.ts'

const PLAIN = (_: string, text: string): string => text

type QueryParts = Partial<CaseTrigger> & Partial<CaseTrigger['internal']>

function query({ query: text = 'Write the notes.', firedInstead = [], ...part }: QueryParts): CaseResult {
  const trigger: CaseTrigger = {
    skill: 'notes',
    should_trigger: true,
    runs: 3,
    completed: 3,
    fired: 3,
    fired_in_sub_agent: 0,
    errors: 0,
    timeouts: 0,
    rate: 1,
    interval: [0.44, 1],
    threshold: 0.5,
    fired_instead: firedInstead.map(({ skill }) => skill),
    internal: { query: text, firedInstead },
    ...part,
  }
  return { trigger } as CaseResult
}

const RESULTS = [
  query({}),
  query({ query: 'Sum up\nthe \u001B[31mrelease.', fired: 1, firedInstead: [{ skill: 'letters', runs: 2 }] }),
  query({ skill: 'letters', fired: 2, completed: 2, errors: 1 }),
  query({
    should_trigger: false,
    fired: 0,
    query: 'Write to the bank.',
    firedInstead: [{ skill: 'letters', runs: 3 }],
  }),
  query({ skill: null, fired: 0, completed: 0, timeouts: 3, rate: null }),
  { trigger: null } as CaseResult,
]

test('the matrix shows which queries made the agent use which skill', () => {
  const matrix = buildTriggerMatrix(RESULTS)
  expect(`\n${formatMatrix(matrix, PLAIN, 120).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    queries for    letters  notes  runs  rate (95% interval)         lost
    letters (1)          2      ·     2  100%, 2 of 2 (34% to 100%)     1
    notes (2)            2      4     6  67%, 4 of 6 (30% to 90%)       ·
    not notes (1)        3      ·     3  0%, 0 of 3 (0% to 56%)         ·
    any skill (1)        ·      ·     0  n/a (no run was completed)     3
    "
  `)
  expect(formatStolen(RESULTS, 80)).toMatchInlineSnapshot(`
    [
      "letters was used instead of notes in 2 of 3 runs: Sum up\\nthe \\x1b[31mrelease.",
    ]
  `)
  expect(formatStolen(RESULTS, 80, 0)).toEqual(['and 1 more'])
})

test('queries for no skill show in red what was used all the same', () => {
  const none = query({ skill: null, should_trigger: false, fired: 2, firedInstead: [{ skill: 'letters', runs: 2 }] })
  const paint: Paint = (style, text) => (style === 'dim' ? text : `<${style}>${text}`)
  expect(`\n${formatMatrix(buildTriggerMatrix([none]), paint, 120).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    queries for   letters  runs  rate (95% interval)
    no skill (1)   <red>2     3  67%, 2 of 3 (21% to 94%)
    "
  `)
})

test('many skills, long names and names with control characters fit a terminal of 80 columns', () => {
  const long = `${'long-name-'.repeat(6)}end`
  const names = [
    'constructor',
    '__proto__',
    'red\u001B[31m',
    'two\nlines',
    ...Array.from({ length: 30 }, (_, n) => `skill-${n}`),
  ]
  const results = [
    query({
      firedInstead: [...names.slice(0, 5), long].map((skill) => ({ skill, runs: 1 })),
      fired: 1,
      completed: 7,
      runs: 7,
    }),
    query({ skill: long, fired: 1, completed: 1 }),
    ...names.map((skill) => query({ skill, fired: 0, completed: 1 })),
  ]
  const lines = formatMatrix(buildTriggerMatrix(results), PLAIN, 80)
  expect(lines.filter((line) => /^(?:queries|notes|long|const|__|red|two)/.test(line)).join('\n'))
    .toMatchInlineSnapshot(`
      "queries for                                   runs  rate (95% interval)         used
      __proto__ (1)                                    1  0%, 0 of 1 (0% to 79%)      ·
      constructor (1)                                  1  0%, 0 of 1 (0% to 79%)      ·
      long-name-long-name-long-name-long-name… (1)     1  100%, 1 of 1 (21% to 100%)  long-name-long-name-long-name-long-name… 1
      notes (1)                                        7  14%, 1 of 7 (3% to 51%)     notes 1, constructor 1, __proto__ 1, red\\x1b[31m 1, two\\nlines 1, skill-0 1, long-name-long-name-long-name-long-name… 1
      red\\x1b[31m (1)                                  1  0%, 0 of 1 (0% to 79%)      ·
      two\\nlines (1)                                   1  0%, 0 of 1 (0% to 79%)      ·"
    `)
  // What was used may take a second line; all before it does not.
  expect(lines.map((line) => line.indexOf('  ·')).filter((at) => at > 80)).toEqual([])
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
  expect(formatMatrix(buildTriggerMatrix([]), PLAIN, 80)).toEqual(['No trigger query was run.'])
})
