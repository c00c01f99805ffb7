import type { JSX } from 'preact'
import { interval, percent } from '../format.ts'
import { linkTo } from '../route.ts'
import { Inline } from '../text.tsx'
import { IntervalBar } from './interval-bar.tsx'
import { OutcomeIcon } from '../icons.tsx'
import { PlotColumn } from './plot-column.tsx'
import type { PageRow } from '../../report/page/page-data.ts'

/** The rate of every case that ran several times, with its interval: a table with a plot in one column. */
export function Rates({ rows }: { readonly rows: readonly PageRow[] }): JSX.Element {
  const isMatrix = new Set(rows.map(({ engine }) => engine)).size > 1
  return (
    <figure class="card">
      <figcaption>
        <h3>Rates over several runs</h3>
        <p>
          Each dot is the share of runs that passed, or for a trigger query that used the skill. The bar is the 95%
          interval (Wilson): with few runs it is wide.
        </p>
      </figcaption>
      <table class="rates">
        <thead>
          <tr>
            <th scope="col">Case</th>
            <PlotColumn />
            <th scope="col" class="number">
              Rate
            </th>
            <th scope="col" class="number">
              95% interval
            </th>
            <th scope="col" class="number">
              Runs
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row">
                <OutcomeIcon outcome={row.outcome} />
                <a href={linkTo('case', row.key)}>
                  <Inline
                    text={`${row.name}${row.arm === null ? '' : ' (without skill)'}${isMatrix ? ` (${row.engine})` : ''}`}
                  />
                </a>
                <span class="visually-hidden"> {row.outcome}</span>
              </th>
              <td class="plot">
                <IntervalBar rate={row.rate?.value ?? null} interval={row.rate?.interval ?? null} tone={row.outcome} />
              </td>
              <td class="number" data-label="Rate">
                {percent(row.rate?.value ?? null)}
              </td>
              <td class="number" data-label="95% interval">
                {interval(row.rate?.interval ?? null)}
              </td>
              <td class="number" data-label="Runs">
                {row.runs}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
