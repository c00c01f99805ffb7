import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

/** Rows of the checklist of hostile inputs: suites, fixtures, agents, workspaces, judges, reports, systems. */
const ROWS = { C: 27, F: 14, A: 12, H: 6, J: 9, R: 8, S: 6 }
/** Of cells that a spreadsheet would run, since nothing writes any. */
const WITHOUT_SUBJECT = ['R3']
const ROW = String.raw`[${Object.keys(ROWS).join('')}]\d{1,2}`
/** What begins the name of a test, or the title of a row of a table of tests. */
const NAMED = new RegExp(
  String.raw`(?:\btest\b.*|\btitle: |\bTITLE = |\]\)|const\))\(?['"\`](${ROW}(?:(?:, | and | to )${ROW})*)[: ]`,
  'gm',
)

test('every row of the checklist of hostile inputs is the name of a test', () => {
  const files = globSync('test/{unit,e2e,support}/**/*.ts', { cwd: REPOSITORY })
  const named = new Set(files.flatMap((file) => rowsNamedIn(readFileSync(join(REPOSITORY, file), 'utf8'))))
  const rows = Object.entries(ROWS).flatMap(([letter, last]) => between(letter, 1, last))
  expect(rows.filter((row) => !named.has(row))).toEqual(WITHOUT_SUBJECT)
})

function rowsNamedIn(text: string): readonly string[] {
  return [...text.matchAll(NAMED)].flatMap(([, rows = '']) => {
    const [from = '', to] = rows.split(' to ')
    return to === undefined
      ? rows.split(/, | and /)
      : between(from.slice(0, 1), Number(from.slice(1)), Number(to.slice(1)))
  })
}

function between(letter: string, first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`)
}
