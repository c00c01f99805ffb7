import { formatPlace } from '../../texts.ts'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { count, dollars, percent, plural, seconds, sourceOf } from '../format.ts'
import { OutcomeBadge } from '../icons.tsx'
import { linkTo } from '../route.ts'
import { Inline } from '../text.tsx'
import type { PageRow } from '../../report/page/page-data.ts'

/** A part of the table: what has been rendered stays as it is while further parts come below it. */
export function CaseRows({ rows }: { readonly rows: readonly PageRow[] }): JSX.Element {
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
          <span class="chip">{row.arm === 'without_skill' ? 'without skill' : <Inline text={row.arm} />}</span>
        )}
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
            {row.error_code !== null && <code>{row.error_code}</code>} <Inline text={shorten(row.reason)} />
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

function shorten(text: string): string {
  const line = text.trim().split('\n').slice(0, 3).join('\n')
  return line.length > 400 ? `${line.slice(0, 400)}…` : line
}
