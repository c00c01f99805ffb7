import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatPlace, shorten } from '../../lib/text.ts'
import type { PageOverview, PageRow } from '../../report/page/page-data.ts'
import { Card } from '../card.tsx'
import { armName, count, dollars, percent, seconds, sourceOf } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { OUTCOMES, OutcomeBadge } from '../icons.tsx'
import { linkTo, replaceRoute } from '../route.ts'
import { Table, type Column } from '../table.tsx'
import { Inline, visibleLine } from '../text.tsx'

/** The table of cases. */
export function CasesView({
  overview,
  query,
}: {
  readonly overview: PageOverview
  readonly query: Query
}): JSX.Element {
  const rows = useMemo(() => chooseRows(overview.rows, query), [overview, query])
  const marks = [...new Set(rows.flatMap(({ arm }) => (arm === null ? [] : [`“${armName(arm)}”`])))]
  const change = (changed: Query): void => replaceRoute(linkTo('cases', '', { ...query, ...changed }))
  return (
    <Card class="cases" title="Cases" label="Cases">
      <Filters rows={overview.rows} query={query} change={change} />
      <p class="quiet" role="status">
        {rows.length === overview.rows.length
          ? plural(rows.length, 'case')
          : `${rows.length} of ${plural(overview.rows.length, 'case')}`}
        {marks.length > 0 && ` · lines marked ${marks.join(' or ')} ran for comparison and are not counted`}
      </p>
      <Table
        columns={COLUMNS.map((column) => ({
          ...column,
          sort: { order: sortOf(query, column.name), change: () => change(nextSort(query, column.name)) },
        }))}
        rows={rows}
        rowClass={({ outcome }) => `case ${outcome}`}
      />
      {rows.length === 0 && <p class="empty">No case matches these filters.</p>}
    </Card>
  )
}

function sortOf({ sort }: Query, name: string): 'ascending' | 'descending' | 'none' {
  const [column, order] = (sort ?? 'outcome').split('-')
  if (column !== name) return 'none'
  return order === 'desc' ? 'descending' : 'ascending'
}

function nextSort(query: Query, name: string): Query {
  return { sort: sortOf(query, name) === 'ascending' ? `${name}-desc` : name }
}

/** The name of a case, what it is marked with, its place, and why it did not pass. */
function Name({ row }: { readonly row: PageRow }): JSX.Element {
  const marks = [row.arm === null ? null : armName(row.arm), row.quarantined === null ? null : 'in quarantine']
  return (
    <>
      <a href={linkTo('case', row.key)}>
        <Inline text={row.name} />
      </a>
      {[...marks, ...row.tags].map(
        (mark) =>
          mark !== null && (
            <span class="chip">
              <Inline text={mark} />
            </span>
          ),
      )}
      <span class="where">
        <Inline text={formatPlace(row)} />
      </span>
      {row.reason !== null && (
        <p class={`reason ${row.outcome}`}>
          {row.error_code !== null && <code>{row.error_code}</code>}{' '}
          <Inline text={shorten(row.reason.trim().split('\n').slice(0, 3).join('\n'), 400)} />
        </p>
      )}
    </>
  )
}

/** What the table can be narrowed by; fields in which all cases agree are left out. */
function Filters({
  rows,
  query,
  change,
}: {
  readonly rows: readonly PageRow[]
  readonly query: Query
  readonly change: (changed: Query) => void
}): JSX.Element {
  const isFiltered = ['q', ...FIELDS].some((field) => (query[field] ?? '') !== '')
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        <span>Search</span>
        <input
          type="search"
          value={query['q'] ?? ''}
          placeholder="Name, id, file, reason, tag"
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
      </label>
      {FIELDS.map((field) => (
        <Choice field={field} rows={rows} query={query} change={change} />
      ))}
      {isFiltered && (
        <button
          type="button"
          onClick={() => change({ q: '', ...Object.fromEntries(FIELDS.map((field) => [field, ''])) })}
        >
          Clear filters
        </button>
      )}
    </form>
  )
}

function Choice({
  field,
  rows,
  query,
  change,
}: {
  readonly field: Field
  readonly rows: readonly PageRow[]
  readonly query: Query
  readonly change: (changed: Query) => void
}): JSX.Element | null {
  const counts = new Map<string, number>()
  for (const row of rows) for (const value of valuesOf(row, field)) counts.set(value, (counts.get(value) ?? 0) + 1)
  const isUseful = counts.size > 1 || (counts.size === 1 && [...counts.values()][0] !== rows.length)
  if (!isUseful && (query[field] ?? '') === '') return null
  return (
    <label>
      <span>{LABELS[field]}</span>
      <select value={query[field] ?? ''} onChange={(event) => change({ [field]: event.currentTarget.value })}>
        <option value="">All</option>
        {[...counts]
          .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
          .map(([value, n]) => (
            <option value={value}>
              {visibleLine(value)} ({n})
            </option>
          ))}
        {query[field] !== undefined && !counts.has(query[field]) && (
          <option value={query[field]}>{visibleLine(query[field])} (0)</option>
        )}
      </select>
    </label>
  )
}

const LABELS: Readonly<Record<Field, string>> = {
  outcome: 'Outcome',
  target: 'Target',
  engine: 'Engine',
  tag: 'Tag',
  category: 'Category',
}

/** Filters and order of the table, as the address of the page holds them. */
type Query = Readonly<Record<string, string>>

/** A column that the table can be sorted by. */
interface CaseColumn extends Column<PageRow> {
  /** Of the column, in the address of the page. */
  readonly name: string
  readonly value: (row: PageRow) => number | string | null
}

const COLUMNS: readonly CaseColumn[] = [
  {
    name: 'outcome',
    label: 'Outcome',
    value: ({ outcome }) => OUTCOMES.indexOf(outcome),
    cell: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
  },
  { name: 'name', label: 'Case', kind: 'name', value: ({ name }) => name, cell: (row) => <Name row={row} /> },
  {
    name: 'target',
    label: 'Target',
    value: ({ target }) => target,
    cell: ({ target }) => target !== null && <Inline text={target} />,
  },
  {
    name: 'engine',
    label: 'Engine and answers',
    value: ({ engine }) => engine,
    cell: (row) => (
      <>
        <Inline text={row.engine} /> <span class="where">{sourceOf(row)}</span>
      </>
    ),
  },
  {
    name: 'rate',
    label: 'Rate',
    kind: 'number',
    value: ({ rate }) => rate?.value ?? null,
    cell: ({ rate }) =>
      rate !== null && (
        <>
          {percent(rate.value)}{' '}
          <span class="where">
            {rate.of} in {rate.count} of {plural(rate.completed, 'run')}
          </span>
        </>
      ),
  },
  {
    name: 'time',
    label: 'Time',
    kind: 'number',
    value: ({ duration_seconds: time }) => time,
    cell: ({ duration_seconds: time }) => time !== null && seconds(time),
  },
  {
    name: 'tokens',
    label: 'Tokens',
    kind: 'number',
    value: ({ tokens }) => tokens,
    cell: ({ tokens, runs }) => runs > 0 && (tokens === null ? 'n/a' : count(tokens)),
  },
  {
    name: 'cost',
    label: 'Cost',
    kind: 'number',
    value: ({ cost_usd: cost }) => cost,
    cell: ({ cost_usd: cost, runs }) => runs > 0 && dollars(cost),
  },
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
type Field = (typeof FIELDS)[number]

/** The fields that can be filtered by. */
const FIELDS = ['outcome', 'target', 'engine', 'tag', 'category'] as const

/** The values that a row has in a field. */
function valuesOf(row: PageRow, field: Field): readonly string[] {
  if (field === 'tag') return row.tags
  const value = row[field]
  return value === null ? [] : [value]
}

function isIn(values: readonly string[], value: string | undefined): boolean {
  return value === undefined || value === '' || values.includes(value)
}

function searched({ name, id, target, reason, file, tags, engine, model }: PageRow): string {
  return [name, id, target, reason, file, engine, model, ...tags].join('\n').toLowerCase()
}

// What is unknown comes last, whatever the order.
function compare(a: number | string | null, b: number | string | null, sign: number): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en'))
}
