import stringWidth from 'string-width'
import { findStolenQueries, type MatrixRow, type TriggerMatrix } from '../../report/build/trigger-matrix.ts'
import { firstOf } from '../../lib/lists.ts'
import { plural, toPrintableLine } from '../../lib/text.ts'
import { percent } from '../../lib/rates.ts'
import { formatTable, fitColumns, type Align } from '../../report/summary/table.ts'
import { type Paint } from '../../report/summary/terminal.ts'
import type { CaseResult } from '../../report/results/result.ts'

/**
 * The confusion matrix: a row for what queries ask for, a column for each skill that was used. Where these columns are wider
 * than the terminal, each row lists its skills instead.
 */
export function formatMatrix(matrix: TriggerMatrix, paint: Paint, width: number): readonly string[] {
  const { rows } = matrix
  if (rows.length === 0) return ['No trigger query was run.']
  const table = formatRows(rows, columnsOf(matrix, paint), paint)
  const isWide = table.some((line) => stringWidth(line) > width)
  return isWide ? formatRows(rows, [listOf(paint)], paint) : table
}

/** Columns of a row of the matrix: what they are called, and what they hold. */
interface Column {
  readonly name: string
  readonly align: Align
  readonly cell: (row: MatrixRow) => string
}

function formatRows(rows: readonly MatrixRow[], used: readonly Column[], paint: Paint): readonly string[] {
  const lost: readonly Column[] = rows.every((row) => row.lost === 0)
    ? []
    : [{ name: 'lost', align: 'right', cell: (row) => (row.lost === 0 ? '·' : paint('yellow', String(row.lost))) }]
  const columns: readonly Column[] = [
    { name: 'queries for', align: 'left', cell: describeRow },
    ...used.filter(({ align }) => align === 'right'),
    { name: 'runs', align: 'right', cell: ({ completed }) => String(completed) },
    { name: 'rate (95% interval)', align: 'left', cell: describeRate },
    ...lost,
    ...used.filter(({ align }) => align === 'left'),
  ]
  return formatTable(
    [columns.map(({ name }) => paint('dim', name)), ...rows.map((row) => columns.map(({ cell }) => cell(row)))],
    columns.map(({ align }) => align),
  )
}

function columnsOf({ skills }: TriggerMatrix, paint: Paint): readonly Column[] {
  return skills.map((skill) => ({
    name: printableName(skill),
    align: 'right',
    cell: (row) => (row.used.has(skill) ? count(row, skill, paint) : '·'),
  }))
}

function listOf(paint: Paint): Column {
  const list = (row: MatrixRow): string =>
    [...row.used]
      .toSorted(([, a], [, b]) => b - a)
      .map(([skill]) => `${printableName(skill)} ${count(row, skill, paint)}`)
      .join(', ')
  return { name: 'used', align: 'left', cell: (row) => list(row) || '·' }
}

const LONGEST_NAME = 40

/** The queries that another skill took, at most `most` of them, each on a line as wide as the terminal. */
export function formatStolen(results: readonly CaseResult[], width: number, most = 10): readonly string[] {
  const stolen = findStolenQueries(results)
  const lines = stolen.map(({ by, skill, runs, completed, query }) => {
    const what = `${printableName(by)} was used instead of ${printableName(skill)} in ${runs} of ${plural(completed, 'run')}: `
    return `${what}${fitColumns(toPrintableLine(query), Math.max(SHORTEST_QUERY, width - stringWidth(what)))}`
  })
  return firstOf(lines, most)
}

const SHORTEST_QUERY = 20

/** The rates of one skill with two descriptions, side by side. */
export function formatComparison(before: TriggerMatrix, after: TriggerMatrix, paint: Paint): readonly string[] {
  const pairs = before.rows.map((row) => ({ row, other: after.rows.find((one) => isSameRow(row, one)) }))
  return formatTable([
    ['queries for', 'as it is', 'with the other description'].map((name) => paint('dim', name)),
    ...pairs.map(({ row, other }) => [
      describeRow(row),
      describeRate(row),
      other === undefined ? 'n/a (no run was completed)' : describeRate(other),
    ]),
  ])
}

function isSameRow(a: MatrixRow, b: MatrixRow): boolean {
  return a.skill === b.skill && a.shouldTrigger === b.shouldTrigger
}

function describeRow({ skill, shouldTrigger, queries }: MatrixRow): string {
  if (skill === null) return `${shouldTrigger ? 'any skill' : 'no skill'} (${queries})`
  return `${shouldTrigger ? '' : 'not '}${printableName(skill)} (${queries})`
}

function printableName(skill: string): string {
  return fitColumns(toPrintableLine(skill), LONGEST_NAME)
}

// Green is what the queries ask for.
function count({ skill, shouldTrigger, used }: MatrixRow, column: string, paint: Paint): string {
  const isSubject = skill === null || column === skill
  return paint(isSubject === shouldTrigger ? 'green' : 'red', String(used.get(column) ?? 0))
}

function describeRate({ fired, completed, interval }: MatrixRow): string {
  if (interval === null) return 'n/a (no run was completed)'
  const [low, high] = interval
  return `${percent(fired / completed)}, ${fired} of ${completed} (${percent(low)} to ${percent(high)})`
}
