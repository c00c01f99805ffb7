import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatPoints } from '../../lib/rates.ts'
import { diffTexts } from '../../lib/text-diff.ts'
import type { PageReport } from '../../report/page/page-data.ts'
import { DiffTable } from '../case/changes.tsx'
import { Table } from '../table.tsx'
import { Inline } from '../text.tsx'
import { Chart } from './chart.tsx'

type Comparison = NonNullable<PageReport['against']>

/** Each case before and after, and what differs between the two. */
export function Against({ against: { ref, edits, texts, result } }: { readonly against: Comparison }): JSX.Element {
  return (
    <Chart
      title={
        <>
          Compared with <Inline text={ref} />
        </>
      }
      note={[
        ...(result.verdict === 'failed' ? ['Worse by more than noise.'] : []),
        ...(result.pooled === null
          ? []
          : [`Pooled test: p = ${Number((result.pooled.p_value ?? 1).toPrecision(2))}, one-sided.`]),
      ].join(' ')}
      isWide
    >
      <Table
        columns={[
          {
            label: 'Case',
            kind: 'name',
            cell: ({ name, why, status }) => (
              <>
                <Inline text={name} />
                {why !== null && (
                  <span class="where">
                    <Inline text={`${status}: ${why}`} />
                  </span>
                )}
              </>
            ),
          },
          { label: 'Before', cell: ({ before }) => passedOf(before) },
          { label: 'After', cell: ({ after }) => passedOf(after) },
          { label: 'Change', cell: changeOf },
          { label: 'Cost and time', cell: ({ before, after }) => `${spentBy(before)} → ${spentBy(after)}` },
        ]}
        rows={result.cases}
      />
      <ul class="list">
        {edits.map(({ role, path, change }) => (
          <li>
            <Inline text={`${change} ${role} ${path}`} />
          </li>
        ))}
        {texts.map(({ part, before, after, seen }) => (
          <li>
            <Inline text={part} />
            {seen !== null && ` (${seen ? 'the model saw it' : 'the model did not see it'})`}
            <ChangedText part={part} before={before} after={after} />
          </li>
        ))}
      </ul>
    </Chart>
  )
}

type ComparedCase = Comparison['result']['cases'][number]
type Arm = ComparedCase['before']

function changeOf({ change, interval }: ComparedCase): string {
  const bounds = interval === null ? '' : ` (${formatPoints(interval[0])} to ${formatPoints(interval[1])})`
  return `${change === null ? '-' : formatPoints(change)}${bounds}`
}

function passedOf(arm: Arm): string {
  return arm === null ? '-' : `${arm.outcome}, ${arm.passed} of ${arm.completed}`
}

function spentBy(arm: Arm): string {
  if (arm === null) return '-'
  const cost = arm.cost_usd === null ? 'cost unknown' : `$${arm.cost_usd.toFixed(2)}`
  return `${cost}, ${arm.duration_seconds === null ? 'time unknown' : `${arm.duration_seconds.toFixed(1)} s`}`
}

function ChangedText({
  part,
  before,
  after,
}: Pick<Comparison['texts'][number], 'after' | 'before' | 'part'>): JSX.Element {
  const diff = useMemo(() => (before === null || after === null ? null : diffTexts(before, after)), [before, after])
  if (diff !== null) return <DiffTable name={`against:${part}`} lines={diff.lines} path={part} />
  return (
    <pre>
      <Inline text={`- ${before ?? '(none)'}\n+ ${after ?? '(none)'}`} />
    </pre>
  )
}
