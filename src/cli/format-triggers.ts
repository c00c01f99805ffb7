import { findStolenQueries, type MatrixRow, type TriggerMatrix } from '../report/trigger-matrix.ts'
import { toPrintableLine } from '../results/printable.ts'
import { percent } from '../statistics/round.ts'
import { formatTable, shorten, type Align } from './table.ts'
import { plural, type Paint } from './terminal.ts'
import type { CaseResult } from '../results/result.ts'

/** The confusion matrix: a row for what queries ask for, a column for each skill that was used. */
export function formatMatrix({ skills, rows }: TriggerMatrix, paint: Paint): readonly string[] {
  if (rows.length === 0) return ['No trigger query was completed.']
  const header = ['queries for', ...skills.map(toPrintableLine), 'runs', 'rate (95 % interval)', 'lost']
  const align: readonly Align[] = ['left', ...skills.map(() => 'right' as const), 'right', 'left', 'right']
  const body = rows.map((row) => [
    describeRow(row),
    ...skills.map((skill) => cell(row, skill, paint)),
    String(row.completed),
    describeRate(row),
    row.lost === 0 ? '' : paint('yellow', String(row.lost)),
  ])
  return formatTable([header.map((name) => paint('dim', name)), ...body], align)
}

/** The queries that another skill took, at most `most` of them. */
export function formatStolen(results: readonly CaseResult[], most = 10): readonly string[] {
  const stolen = findStolenQueries(results)
  const lines = stolen
    .slice(0, most)
    .map(
      ({ by, skill, runs, completed, query }) =>
        `${toPrintableLine(by)} was used instead of ${toPrintableLine(skill)} in ${runs} of ${plural(completed, 'run')}: ${shorten(toPrintableLine(query), 80)}`,
    )
  return stolen.length > most ? [...lines, `and ${stolen.length - most} more`] : lines
}

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
  const name = skill === null ? 'any skill' : toPrintableLine(skill)
  return `${shouldTrigger ? name : `not ${name}`} (${queries})`
}

function cell({ skill, shouldTrigger, used }: MatrixRow, column: string, paint: Paint): string {
  const runs = used[column] ?? 0
  if (runs === 0) return '·'
  return paint((column === skill) === shouldTrigger ? 'green' : 'red', String(runs))
}

function describeRate({ fired, completed, interval }: MatrixRow): string {
  if (interval === null) return 'n/a (no run was completed)'
  const [low, high] = interval
  return `${percent(fired / completed)}, ${fired} of ${completed} (${percent(low)} to ${percent(high)})`
}
