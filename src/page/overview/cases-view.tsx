import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { plural } from '../format.ts'
import { linkTo, replaceRoute } from '../route.ts'
import { inParts, useGrowing } from '../use-growing.ts'
import { CaseRows } from './case-rows.tsx'
import { chooseRows, COLUMNS, type Query } from './choose-rows.ts'
import { Filters } from './filters.tsx'
import type { PageOverview } from '../../report/page/page-data.ts'

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
  const change = (changed: Query): void => replaceRoute(linkTo('cases', '', { ...query, ...changed }))
  return (
    <section class="cases" aria-labelledby="cases-title">
      <h2 id="cases-title">Cases</h2>
      <Filters rows={overview.rows} query={query} change={change} />
      <p class="count" role="status">
        {rows.length === overview.rows.length
          ? plural(rows.length, 'case')
          : `${rows.length} of ${plural(overview.rows.length, 'case')}`}
        {rows.some(({ arm }) => arm !== null) &&
          ' · lines marked “without skill” ran for comparison and are not counted'}
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
