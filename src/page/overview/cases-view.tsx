import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { dollars, percent, plural, seconds, sourceOf } from '../format.ts'
import { OutcomeBadge } from '../icons.tsx'
import { linkTo, replaceRoute } from '../route.ts'
import { Inline } from '../text.tsx'
import { chooseRows, COLUMNS, type Query } from './choose-rows.ts'
import { Filters } from './filters.tsx'
import type { PageOverview, PageRow } from '../../report/page/page-data.ts'

/** The table of cases. */
export function CasesView({
  overview,
  query,
}: {
  readonly overview: PageOverview
  readonly query: Query
}): JSX.Element {
  const rows = useMemo(() => chooseRows(overview.rows, query), [overview, query])
  const shown = useGrowing(rows.length)
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
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <Row key={row.key} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">No case matches these filters.</p>}
    </section>
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
          <span class="chip">{row.arm === 'without_skill' ? 'without skill' : <Inline text={row.arm} />}</span>
        )}
        {row.tags.map((tag) => (
          <span class="chip tag">
            <Inline text={tag} />
          </span>
        ))}
        <span class="where">
          <Inline text={`${row.file}:${row.line}`} />
        </span>
        {row.reason !== null && (
          <p class={`reason ${row.outcome}`}>
            {row.error_code !== null && <code>{row.error_code}</code>} <Inline text={shorten(row.reason)} />
          </p>
        )}
      </td>
      <td data-label="Target">{row.target === null ? <span class="quiet">–</span> : <Inline text={row.target} />}</td>
      <td data-label="Engine">
        <Inline text={row.engine} />
        <span class="where">{sourceOf(row)}</span>
      </td>
      <td class="number" data-label="Rate">
        {row.rate === null ? (
          <span class="quiet">–</span>
        ) : (
          <>
            {percent(row.rate.value)}
            <span class="where">
              {row.rate.of} in {plural(row.runs, 'run')}
            </span>
          </>
        )}
      </td>
      <td class="number" data-label="Time">
        {row.duration_seconds === null || row.runs === 0 ? <span class="quiet">–</span> : seconds(row.duration_seconds)}
      </td>
      <td class="number" data-label="Cost">
        {row.runs === 0 ? <span class="quiet">–</span> : dollars(row.cost_usd)}
      </td>
    </tr>
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

function shorten(text: string): string {
  const line = text.trim().split('\n').slice(0, 3).join('\n')
  return line.length > 400 ? `${line.slice(0, 400)}…` : line
}

/** How many of many rows to show: enough for the first view at once, the rest while nothing else is to do. */
function useGrowing(total: number): number {
  const [shown, setShown] = useState(FIRST)
  useEffect(() => {
    if (shown >= total) return
    const timer = setTimeout(() => setShown(shown + STEP), 30)
    return () => clearTimeout(timer)
  }, [shown, total])
  return shown
}

const FIRST = 60
const STEP = 120
