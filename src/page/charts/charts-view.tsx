import type { ComponentChildren, JSX } from 'preact'
import { groupBy } from '../../lib/lists.ts'
import { formatPoints } from '../../lib/rates.ts'
import { plural } from '../../lib/text.ts'
import type { PageOverview, PageReport, PageRow } from '../../report/page/page-data.ts'
import { armName, interval, nameOfVariant, percent } from '../format.ts'
import { OutcomeIcon } from '../icons.tsx'
import { IntervalBar } from '../interval-bar.tsx'
import { linkTo } from '../route.ts'
import { Table } from '../table.tsx'
import { Inline } from '../text.tsx'
import { Against } from './against.tsx'
import { Chart } from './chart.tsx'
import { Matrix } from './matrix.tsx'

/** The charts, each only where the run has what it shows. */
export function ChartsView({ overview }: { readonly overview: PageOverview }): JSX.Element {
  const { reports, rows } = overview
  const triggers = reports.flatMap((report) => report.triggers.map((table) => ({ table, engine: engineOf(report) })))
  const lifts = reports.flatMap((report) => report.lift.map((lift) => ({ lift, engine: engineOf(report) })))
  const rates = rows.filter(({ rate }) => rate !== null && rate.value !== null)
  const variants = [...groupBy(rows, nameOfVariant).keys()]
  const compared = reports.flatMap(({ against }) => (against === null ? [] : [against]))
  const isEmpty =
    compared.length === 0 && triggers.length === 0 && lifts.length === 0 && rates.length === 0 && variants.length < 2
  return (
    <div class="charts">
      <h2>Charts</h2>
      {isEmpty && (
        <p class="empty">
          This run has nothing to draw. Charts show trigger queries that were run, rates of several runs that a model
          answered, runs without the skill, and several engines or models: use <code>--runs</code>,{' '}
          <code>--baseline</code>, or several engines or models.
        </p>
      )}
      {compared.map((against) => (
        <Against against={against} />
      ))}
      {triggers.map(({ table, engine }) => (
        <Triggers table={table} engine={triggers.length > 1 ? engine : null} />
      ))}
      {lifts.length > 0 && <Lift lifts={lifts} />}
      {rates.length > 0 && <Rates rows={rates} isMatrix={variants.length > 1} />}
      {variants.length > 1 && <Matrix rows={rows} variants={variants} />}
    </div>
  )
}

function engineOf({ agent }: PageReport): string | null {
  return agent?.runtime ?? null
}

/** In how many runs the skill was used, and in how many it should be. */
function Triggers({
  table,
  engine,
}: {
  readonly table: PageReport['triggers'][number]
  readonly engine: string | null
}): JSX.Element {
  const { true_positives: used, false_negatives: missed, false_positives: wrong, true_negatives: spared } = table
  const most = Math.max(1, used, missed, wrong, spared)
  const runs = (count: number, tone: 'right' | 'wrong', meaning: string): JSX.Element => (
    <div class={`share ${tone}`} style={{ '--share': count / most }}>
      <strong>{count}</strong>
      <span>
        {tone === 'right' ? '✓' : '✗'} {meaning}
      </span>
    </div>
  )
  const others = Object.entries(table.fired_instead).map(([skill, count]) => `${skill} (${count})`)
  return (
    <Chart
      title="Triggers: was the skill used when it should be?"
      note={
        <>
          <Inline text={[table.suite, engine, table.model].filter((part) => part !== null).join(' · ')} /> ·{' '}
          {plural(table.queries, 'query', 'queries')} · precision {percent(table.precision)} · recall{' '}
          {percent(table.recall)}
          {others.length > 0 && <Inline text={` · used instead: ${others.join(', ')}`} />}
        </>
      }
    >
      <Table
        class="confusion"
        columns={[
          { label: '', kind: 'name', cell: ({ name }) => name },
          { label: 'Runs that used it', cell: (row) => row.used },
          { label: 'Runs that did not', cell: (row) => row.unused },
        ]}
        rows={[
          {
            name: 'Should be used',
            used: runs(used, 'right', 'used as wanted'),
            unused: runs(missed, 'wrong', 'missed'),
          },
          {
            name: 'Should not be used',
            used: runs(wrong, 'wrong', 'used without need'),
            unused: runs(spared, 'right', 'rightly left alone'),
          },
        ]}
      />
    </Chart>
  )
}

type LiftOf = PageReport['lift'][number]

/** What each skill adds: its cases with and without it. */
function Lift({
  lifts,
}: {
  readonly lifts: readonly { readonly lift: LiftOf; readonly engine: string | null }[]
}): JSX.Element {
  const isMatrix = new Set(lifts.map(({ engine }) => engine)).size > 1
  return (
    <Chart
      title="Lift: what each skill adds"
      note="The pass rate of the same cases with the skill and without it. The difference is the mean over the cases."
    >
      <RateTable
        what="Skill"
        rates={lifts.flatMap(({ lift, engine }): readonly Rate[] => {
          const name = `${lift.target}${isMatrix ? ` (${engine ?? 'unknown'})` : ''}`
          const { with_skill: after, without_skill: before } = lift
          return [
            { ...after, name: <Named text={`${name}, with`} note={describeLift(lift)} />, tone: 'passed' },
            { ...before, name: <Named text={`${name}, without`} />, tone: 'without' },
          ]
        })}
      />
    </Chart>
  )
}

function Named({ text, note }: { readonly text: string; readonly note?: string }): JSX.Element {
  return (
    <>
      <Inline text={text} />
      {note !== undefined && <span class="where">{note}</span>}
    </>
  )
}

function describeLift({ difference, cases, better, worse, same, p_value: p, too_few: few }: LiftOf): string {
  const lift = difference === null ? 'n/a' : formatPoints(difference)
  const chance = p === null ? 'scripted answers' : few ? 'too few cases for a test' : `p = ${p}`
  return [lift, plural(cases, 'case'), `${better} better, ${worse} worse, ${same} same`, chance].join(' · ')
}

/** The rate of every case that ran several times. */
function Rates({ rows, isMatrix }: { readonly rows: readonly PageRow[]; readonly isMatrix: boolean }): JSX.Element {
  return (
    <Chart
      title="Rates over several runs"
      note="Each dot is the share of runs that passed, or for a trigger query that used the skill. The bar is the 95% interval (Wilson): with few runs it is wide."
    >
      <RateTable
        what="Case"
        rates={rows.flatMap(({ rate, outcome, ...row }): readonly Rate[] => {
          if (rate === null) return []
          const suffixes = [row.arm === null ? null : armName(row.arm), isMatrix ? nameOfVariant(row) : null]
          const name = [row.name, ...suffixes.flatMap((suffix) => (suffix === null ? [] : [`(${suffix})`]))].join(' ')
          const { count: passed, completed, value, interval: bounds } = rate
          const link = (
            <>
              <OutcomeIcon outcome={outcome} />{' '}
              <a href={linkTo('case', row.key)}>
                <Inline text={name} />
              </a>
              <span class="visually-hidden"> {outcome}</span>
            </>
          )
          return [{ name: link, passed, completed, rate: value, interval: bounds, tone: outcome }]
        })}
      />
    </Chart>
  )
}

/** A share of runs. */
interface Rate {
  readonly name: ComponentChildren
  readonly passed: number
  readonly completed: number
  readonly rate: number | null
  readonly interval: readonly [number, number] | null
  readonly tone: string
}

function RateTable({ what, rates }: { readonly what: string; readonly rates: readonly Rate[] }): JSX.Element {
  return (
    <Table
      class="rates"
      columns={[
        { label: what, kind: 'name', cell: ({ name }) => name },
        {
          label: 'From 0 to 100%',
          kind: 'plot',
          cell: ({ rate, interval: bounds, tone }) => <IntervalBar share={rate} interval={bounds} tone={tone} />,
        },
        { label: 'Rate', kind: 'number', cell: ({ rate }) => percent(rate) },
        { label: '95% interval', kind: 'number', cell: ({ interval: bounds }) => interval(bounds) },
        { label: 'Runs', kind: 'number', cell: ({ passed, completed }) => `${passed} of ${completed}` },
      ]}
      rows={rates}
    />
  )
}
