import type { ComponentChildren, JSX } from 'preact'
import { armName, DECIDED_BY, dollars, nameOfVariant, seconds } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { OutcomeBadge } from '../icons.tsx'
import { formatChoice, linkTo, type Choice } from '../route.ts'
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
  const line = (label: string, cell: (column: Column) => ComponentChildren): JSX.Element => (
    <tr>
      <th scope="row">{label}</th>
      {columns.map((column) => (
        <td class={is(column, chosen) || is(column, other) ? 'chosen' : ''}>{cell(column)}</td>
      ))}
    </tr>
  )
  return (
    <section class="side-by-side" aria-labelledby="runs-title">
      <h2 id="runs-title">Runs side by side</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Runs side by side">
        <table>
          <thead>
            <tr>
              <td />
              {columns.map(({ row, run }) => (
                <th scope="col" class={is({ row, run }, chosen) ? 'chosen' : ''}>
                  <a
                    href={linkTo('case', row.key, { run: String(run.index) })}
                    aria-current={is({ row, run }, chosen) ? 'true' : undefined}
                  >
                    Run {run.index}
                  </a>
                  {(row.arm !== null || rows.some(({ arm }) => arm !== null)) && (
                    <span class="where">
                      <Inline
                        text={
                          row.arm === null && rows.some(({ arm }) => arm === 'variant')
                            ? 'version now'
                            : armName(row.arm)
                        }
                      />
                    </span>
                  )}
                  {isMatrix && (
                    <span class="where">
                      <Inline text={nameOfVariant(row)} />
                    </span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {line('Outcome', ({ outcome, run }) =>
              outcome === null ? run.status : <OutcomeBadge outcome={outcome} />,
            )}
            {columns.some(({ run }) => run.decided_by !== null) &&
              line('Decided by', ({ run }) => (run.decided_by === null ? 'n/a' : DECIDED_BY[run.decided_by]))}
            {line('Duration', ({ run }) => seconds(run.duration_seconds))}
            {line('Model requests', ({ run }) => run.requests ?? 'n/a')}
            {line('Cost', ({ run }) => dollars(run.cost_usd))}
            {line('Tool calls', ({ run }) => (
              <Inline
                text={
                  Object.entries(run.tool_calls)
                    .map(([tool, n]) => `${tool} ${n}`)
                    .join(', ') || 'none'
                }
              />
            ))}
            {line('Skills used', ({ run }) => (
              <Inline text={run.skills_used.join(', ') || 'none'} />
            ))}
            {line('Files', ({ run: { files } }) =>
              plural(files.created.length + files.modified.length + files.deleted.length, 'change'),
            )}
            {line('Story', ({ row, run }) =>
              is({ row, run }, chosen) ? (
                'shown'
              ) : is({ row, run }, other) ? (
                <a href={linkTo('case', chosen.key, { run: String(chosen.run) })}>Close</a>
              ) : (
                <a
                  href={linkTo('case', chosen.key, {
                    run: String(chosen.run),
                    with: formatChoice({ key: row.key, run: run.index ?? 0 }),
                  })}
                >
                  Show beside
                </a>
              ),
            )}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function is({ row, run }: Pick<Column, 'row' | 'run'>, choice: Choice | null): boolean {
  return choice !== null && row.key === choice.key && run.index === choice.run
}

// A run without a verdict of its own is the only one of its case, or one of those that are judged together.
function outcomeOf({ outcome, runs }: PageRow, { status }: ReadRun): ReadCase['outcome'] | null {
  if (runs === 1) return outcome
  return status === 'completed' ? null : 'errored'
}
