import { OUTCOMES } from '../icons.tsx'
import type { PageRow } from '../../report/page/page-data.ts'

/** Filters and order of the table, as the address of the page holds them. */
export type Query = Readonly<Record<string, string>>

/** One column of the table. */
export interface Column {
  readonly name: string
  readonly label: string
  readonly isNumber: boolean
  readonly value: (row: PageRow) => number | string | null
}

/** The columns, each of which can be sorted by. */
export const COLUMNS: readonly Column[] = [
  { name: 'outcome', label: 'Outcome', isNumber: false, value: ({ outcome }) => OUTCOMES.indexOf(outcome) },
  { name: 'name', label: 'Case', isNumber: false, value: ({ name }) => name },
  { name: 'target', label: 'Target', isNumber: false, value: ({ target }) => target },
  { name: 'engine', label: 'Engine and answers', isNumber: false, value: ({ engine }) => engine },
  { name: 'rate', label: 'Rate', isNumber: true, value: ({ rate }) => rate?.value ?? null },
  { name: 'time', label: 'Time', isNumber: true, value: ({ duration_seconds: time }) => time },
  { name: 'tokens', label: 'Tokens', isNumber: true, value: ({ tokens }) => tokens },
  { name: 'cost', label: 'Cost', isNumber: true, value: ({ cost_usd: cost }) => cost },
]

/** The rows that the filters leave, in the order that was asked for. Without one, what did not pass comes first. */
export function chooseRows(rows: readonly PageRow[], query: Query): readonly PageRow[] {
  const words = (query['q'] ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const chosen = rows.filter(
    (row) =>
      FIELDS.every((field) => isIn(valuesOf(row, field), query[field])) &&
      words.every((word) => searched(row).includes(word)),
  )
  const [name = 'outcome', order] = (query['sort'] ?? 'outcome').split('-')
  const column = COLUMNS.find((one) => one.name === name)
  if (column === undefined) return chosen
  const sign = order === 'desc' ? -1 : 1
  return chosen.toSorted((a, b) => compare(column.value(a), column.value(b), sign))
}

/** A field that can be filtered by. */
export type Field = (typeof FIELDS)[number]

/** The fields that can be filtered by. */
export const FIELDS = ['outcome', 'target', 'engine', 'tag', 'category'] as const

/** The values that a row has in a field. */
export function valuesOf(row: PageRow, field: Field): readonly string[] {
  if (field === 'tag') return row.tags
  const value = row[field]
  return value === null ? [] : [value]
}

function isIn(values: readonly string[], wanted: string | undefined): boolean {
  return wanted === undefined || wanted === '' || values.includes(wanted)
}

function searched({ name, id, target, reason, file, tags, engine, model }: PageRow): string {
  return [name, id, target, reason, file, engine, model, ...tags].join('\n').toLowerCase()
}

// What is unknown comes last, whatever the order.
function compare(a: number | string | null, b: number | string | null, sign: number): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en'))
}
