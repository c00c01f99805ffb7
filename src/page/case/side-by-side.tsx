import type { ComponentChildren, JSX } from 'preact'
import { Card } from '../card.tsx'
import { armName, DECIDED_BY, dollars, nameOfVariant, seconds } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { OutcomeBadge } from '../icons.tsx'
import { formatChoice, linkTo, type Choice } from '../route.ts'
import { Table } from '../table.tsx'
import { Inline } from '../text.tsx'
import type { PageDetail, PageRow } from '../../report/page/page-data.ts'
import type { ReadCase, ReadRun } from '../../report/read-report.ts'

interface Column {
  readonly row: PageRow
  readonly run: ReadRun
  /** `null` for one of several runs that has no verdict of its own. */
  readonly outcome: ReadCase['outcome'] | null
}

/** All runs and arms of a case, one column each. Nothing where there is one run alone. */
export function SideBySide({
  rows,
  details,
  chosen,
  other,
}: {
  readonly rows: readonly PageRow[]
  readonly details: ReadonlyMap<string, PageDetail>
  readonly chosen: Choice
  readonly other: Choice | null
}): JSX.Element | null {
  const columns = rows.flatMap((row): readonly Column[] =>
    (details.get(row.key)?.case.runs ?? []).map((run) => ({
      row,
      run,
      outcome: run.verdict?.outcome ?? outcomeOf(row, run),
    })),
  )
  if (columns.length < 2) return null
  const isMatrix = new Set(rows.map(nameOfVariant)).size > 1
  const hasArms = rows.some(({ arm }) => arm !== null)
  const marked = (column: Column): boolean => is(column, chosen) || is(column, other)
  return (
    <Card class="side-by-side" title="Runs side by side" label="Runs side by side">
      <div class="scroll" tabIndex={0} role="region" aria-label="Runs side by side">
        <Table
          columns={[
            { label: '', kind: 'name', cell: ({ label }) => label },
            ...columns.map((column) => ({
              label: `Run ${column.run.index}`,
              head: (
                <Heading
                  column={column}
                  isChosen={is(column, chosen)}
                  arm={hasArms ? armOf(column.row, rows) : null}
                  variant={isMatrix ? nameOfVariant(column.row) : null}
                />
              ),
              kind: marked(column) ? ('chosen' as const) : undefined,
              cell: ({ cell }: Line) => cell(column),
            })),
          ]}
          rows={[
            line('Outcome', ({ outcome, run }) => (outcome === null ? run.status : <OutcomeBadge outcome={outcome} />)),
            ...(columns.some(({ run }) => run.decided_by !== null)
              ? [line('Decided by', ({ run }) => (run.decided_by === null ? 'n/a' : DECIDED_BY[run.decided_by]))]
              : []),
            line('Duration', ({ run }) => seconds(run.duration_seconds)),
            line('Model requests', ({ run }) => run.requests ?? 'n/a'),
            line('Cost', ({ run }) => dollars(run.cost_usd)),
            line('Tool calls', ({ run }) => {
              const calls = Object.entries(run.tool_calls).map(([tool, n]) => `${tool} ${n}`)
              return <Inline text={calls.join(', ') || 'none'} />
            }),
            line('Skills used', ({ run }) => <Inline text={run.skills_used.join(', ') || 'none'} />),
            line('Files', ({ run: { files } }) =>
              plural(files.created.length + files.modified.length + files.deleted.length, 'change'),
            ),
            line('Story', ({ row, run }) => {
              if (is({ row, run }, chosen)) return 'shown'
              const isOther = is({ row, run }, other)
              const beside = isOther ? null : formatChoice({ key: row.key, run: run.index ?? 0 })
              return (
                <a href={linkTo('case', chosen.key, { run: String(chosen.run), with: beside })}>
                  {isOther ? 'Close' : 'Show beside'}
                </a>
              )
            }),
          ]}
        />
      </div>
    </Card>
  )
}

/** One fact of each run. */
interface Line {
  readonly label: string
  readonly cell: (column: Column) => ComponentChildren
}

function line(label: string, cell: Line['cell']): Line {
  return { label, cell }
}

function Heading({
  column: { row, run },
  isChosen,
  arm,
  variant,
}: {
  readonly column: Column
  readonly isChosen: boolean
  /** `null` where all runs are of one arm. */
  readonly arm: string | null
  /** `null` where all runs are of one engine and model. */
  readonly variant: string | null
}): JSX.Element {
  return (
    <>
      <a href={linkTo('case', row.key, { run: String(run.index) })} aria-current={isChosen ? 'true' : undefined}>
        Run {run.index}
      </a>
      {[arm, variant].map(
        (name) =>
          name !== null && (
            <span class="where">
              <Inline text={name} />
            </span>
          ),
      )}
    </>
  )
}

function armOf({ arm }: PageRow, rows: readonly PageRow[]): string {
  return arm === null && rows.some((one) => one.arm === 'variant') ? 'version now' : armName(arm)
}

function is({ row, run }: Pick<Column, 'row' | 'run'>, choice: Choice | null): boolean {
  return choice !== null && row.key === choice.key && run.index === choice.run
}

// A run without a verdict of its own is the only one of its case, or one of those that are judged together.
function outcomeOf({ outcome, runs }: PageRow, { status }: ReadRun): ReadCase['outcome'] | null {
  if (runs === 1) return outcome
  return status === 'completed' ? null : 'errored'
}
