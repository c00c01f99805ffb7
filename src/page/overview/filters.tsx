import type { JSX } from 'preact'
import { visibleLine } from '../visible-text.ts'
import { FIELDS, valuesOf, type Field, type Query } from './choose-rows.ts'
import type { PageRow } from '../../report/page/page-data.ts'

/** What the table can be narrowed by; fields in which all cases agree are left out. */
export function Filters({
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
