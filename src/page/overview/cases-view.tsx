import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatPlace, shorten } from '../../lib/text.ts'
import type { PageOverview, PageRow } from '../../report/page/page-data.ts'
import { armName, count, dollars, percent, seconds, sourceOf } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { OUTCOMES, OutcomeBadge } from '../icons.tsx'
import { inParts, linkTo, replaceRoute, useGrowing } from '../route.ts'
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
  const parts = useMemo(() => inParts(rows, PART), [rows])
  const shown = useGrowing(parts, 1, 2)
  const marks = [...new Set(rows.flatMap(({ arm }) => (arm === null ? [] : [`“${armName(arm)}”`])))]
  const change = (changed: Query): void => replaceRoute(linkTo('cases', '', { ...query, ...changed }))
  return (
    <section class="cases" aria-labelledby="cases-title">
      <h2 id="cases-title">Cases</h2>
      <Filters rows={overview.rows} query={query} change={change} />
      <p class="count" role="status">
        {rows.length === overview.rows.length
          ? plural(rows.length, 'case')
          : `${rows.length} of ${plural(overview.rows.length, 'case')}`}
        {marks.length > 0 && ` · lines marked ${marks.join(' or ')} ran for comparison and are not counted`}
      </p>
      <table>
        <colgroup>
          {COLUMNS.map(({ name }) => (
            <col class={`column-${name}`} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {COLUMNS.map(({ name, label, isNumber }) => (
              <th scope="col" class={isNumber ? 'number' : ''} aria-sort={sortOf(query, name)}>
                <button type="button" onClick={() => change(nextSort(query, name))}>
                  {label}
                  <span aria-hidden="true">{ARROWS[sortOf(query, name)]}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        {parts.slice(0, shown).map((part, index) => (
          <CaseRows key={index} rows={part} />
        ))}
      </table>
      {rows.length === 0 && <p class="empty">No case matches these filters.</p>}
    </section>
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

const ARROWS = { ascending: ' ▲', descending: ' ▼', none: '' } as const

const PART = 50

/** A part of the table: what has been rendered stays as it is while further parts come below it. */
function CaseRows({ rows }: { readonly rows: readonly PageRow[] }): JSX.Element {
  return useMemo(
    () => (
      <tbody>
        {rows.map((row) => (
          <Row key={row.key} row={row} />
        ))}
      </tbody>
    ),
    [rows],
  )
}

function Row({ row }: { readonly row: PageRow }): JSX.Element {
  return (
    <tr class={`case ${row.outcome}`}>
      <td data-label="Outcome">
        <OutcomeBadge outcome={row.outcome} />
      </td>
      <td class="name" data-label="Case">
        <a href={linkTo('case', row.key)}>
          <Inline text={row.name} />
        </a>
        {row.arm !== null && (
          <span class="chip">
            <Inline text={armName(row.arm)} />
          </span>
        )}
        {row.quarantined !== null && <span class="chip">in quarantine</span>}
        {row.tags.map((tag) => (
          <span class="chip tag">
            <Inline text={tag} />
          </span>
        ))}
        <span class="where">
          <Inline text={formatPlace(row)} />
        </span>
        {row.reason !== null && (
          <p class={`reason ${row.outcome}`}>
            {row.error_code !== null && <code>{row.error_code}</code>}{' '}
            <Inline text={shorten(row.reason.trim().split('\n').slice(0, 3).join('\n'), 400)} />
          </p>
        )}
      </td>
      <td data-label="Target">{row.target === null ? <Nothing /> : <Inline text={row.target} />}</td>
      <td data-label="Engine">
        <Inline text={row.engine} />
        <span class="where">{sourceOf(row)}</span>
      </td>
      <td class="number" data-label="Rate">
        {row.rate === null ? (
          <Nothing />
        ) : (
          <>
            {percent(row.rate.value)}
            <span class="where">
              {row.rate.of} in {row.rate.count} of {plural(row.rate.completed, 'run')}
            </span>
          </>
        )}
      </td>
      <td class="number" data-label="Time">
        {row.duration_seconds === null || row.runs === 0 ? <Nothing /> : seconds(row.duration_seconds)}
      </td>
      <td class="number" data-label="Tokens">
        {row.runs === 0 ? <Nothing /> : row.tokens === null ? 'n/a' : count(row.tokens)}
      </td>
      <td class="number" data-label="Cost">
        {row.runs === 0 ? <Nothing /> : dollars(row.cost_usd)}
      </td>
    </tr>
  )
}

function Nothing(): JSX.Element {
  return <span class="quiet">–</span>
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

/** One column of the table. */
interface Column {
  readonly name: string
  readonly label: string
  readonly isNumber: boolean
  readonly value: (row: PageRow) => number | string | null
}

/** The columns, each of which can be sorted by. */
const COLUMNS: readonly Column[] = [
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
