import type { JSX } from 'preact'
import { groupBy, sumOf } from '../../lib/lists.ts'
import type { PageRow } from '../../report/page/page-data.ts'
import { costOf, dollars, nameOfVariant, percent, seconds } from '../format.ts'
import { OutcomeBadge } from '../icons.tsx'
import { linkTo } from '../route.ts'
import { Table } from '../table.tsx'
import { Inline } from '../text.tsx'
import { Chart } from './chart.tsx'

/** How each case came out on each engine and model, at which rate, cost and time. */
export function Matrix({
  rows,
  variants,
}: {
  readonly rows: readonly PageRow[]
  readonly variants: readonly string[]
}): JSX.Element {
  const counted = rows.filter(({ arm }) => arm === null)
  const cases = [...groupBy(counted, ({ group }) => group).values()].map((group) => ({
    name: nameOfAll(group),
    cell: (variant: string) => <Cell row={group.find((one) => nameOfVariant(one) === variant)} />,
  }))
  const total = {
    name: 'All cases',
    cell: (variant: string) => <Sum rows={counted.filter((one) => nameOfVariant(one) === variant)} />,
  }
  return (
    <Chart
      title="Engines and models"
      note="The outcome of each case on each engine and model, its rate over several runs, its cost with the judge, and its time."
      isWide
    >
      <Table
        class="matrix"
        columns={[
          { label: 'Case', kind: 'name', cell: ({ name }) => <Inline text={name} /> },
          ...variants.map((variant) => ({
            label: variant,
            head: <Inline text={variant} />,
            cell: (row: (typeof cases)[number]) => row.cell(variant),
          })),
        ]}
        rows={[...cases, total]}
      />
    </Chart>
  )
}

function Cell({ row }: { readonly row: PageRow | undefined }): JSX.Element {
  if (row === undefined) return <span class="quiet">not planned</span>
  const { key, outcome, rate, runs, cost_usd: cost, duration_seconds: time } = row
  const figures = [
    ...(rate === null ? [] : [`${rate.of} ${rate.count} of ${rate.completed}`]),
    ...(runs === 0 ? [] : [dollars(cost), seconds(time)]),
  ]
  return (
    <>
      <a href={linkTo('case', key)}>
        <OutcomeBadge outcome={outcome} />
      </a>{' '}
      <span class="where">{figures.join(' · ')}</span>
    </>
  )
}

/** What all cases of a column came to. A rate is over what was decided, as in the summary of a run. */
function Sum({ rows }: { readonly rows: readonly PageRow[] }): JSX.Element {
  const decided = rows.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
  const passed = decided.filter(({ outcome }) => outcome === 'passed').length
  const ran = rows.filter(({ runs }) => runs > 0)
  const cost = costOf({
    cost_usd: sumOf(ran, ({ cost_usd: usd }) => usd ?? 0),
    unknown_cost: ran.filter(({ cost_usd: usd }) => usd === null).length,
  })
  const time = seconds(sumOf(ran, ({ duration_seconds: took }) => took ?? 0))
  return (
    <>
      {percent(decided.length === 0 ? null : passed / decided.length)}{' '}
      <span class="where">{[`${passed} of ${decided.length} passed`, cost, time].join(' · ')}</span>
    </>
  )
}

// Each name says its variant at its end, where there are several.
function nameOfAll(group: readonly PageRow[]): string {
  const [first] = group
  if (first === undefined) return ''
  const ends = [nameOfVariant(first), first.engine, first.planned_model ?? ''].map((variant) => ` (${variant})`)
  const end = ends.find((one) => first.name.endsWith(one))
  return end === undefined ? first.name : first.name.slice(0, -end.length)
}
