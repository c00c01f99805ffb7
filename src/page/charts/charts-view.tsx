import type { JSX } from 'preact'
import { Confusion } from './confusion.tsx'
import { Lift } from './lift.tsx'
import { Matrix } from './matrix.tsx'
import { Rates } from './rates.tsx'
import type { PageOverview } from '../../report/page/page-data.ts'

/** The pictures: each only where the run has what it shows. */
export function ChartsView({ overview }: { readonly overview: PageOverview }): JSX.Element {
  const { reports, rows } = overview
  const triggers = reports.flatMap(({ triggers: tables, agent }) =>
    tables.map((table) => ({ table, engine: agent?.runtime ?? null })),
  )
  const lift = reports.flatMap((report) => report.lift.map((one) => ({ one, engine: report.agent?.runtime ?? null })))
  const rates = rows.filter(({ rate }) => rate !== null && rate.value !== null)
  const engines = [...new Set(rows.map(({ engine }) => engine))]
  const isEmpty = triggers.length === 0 && lift.length === 0 && rates.length === 0 && engines.length < 2
  return (
    <div class="charts">
      <h2>Charts</h2>
      {isEmpty && (
        <p class="empty">
          This run has nothing to draw: no trigger queries, no case with several runs, no run without the skill, and one
          engine. Use <code>--runs</code>, <code>--baseline</code> or several engines.
        </p>
      )}
      {triggers.map(({ table, engine }) => (
        <Confusion table={table} engine={triggers.length > 1 ? engine : null} />
      ))}
      {lift.length > 0 && <Lift lifts={lift} />}
      {rates.length > 0 && <Rates rows={rates} />}
      {engines.length > 1 && <Matrix rows={rows} engines={engines} />}
    </div>
  )
}
