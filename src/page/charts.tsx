import { scaleLinear } from 'd3-scale'
import type { JSX } from 'preact'
import { groupBy, sumOf } from '../lib/lists.ts'
import { formatPoints } from '../lib/rates.ts'
import type { PageOverview, PageReport, PageRow } from '../report/page/page-data.ts'
import { Against } from './against.tsx'
import { armName, costOf, dollars, interval, nameOfVariant, percent, seconds } from './format.ts'
import { plural } from '../lib/text.ts'
import { OutcomeBadge, OutcomeIcon } from './icons.tsx'
import { linkTo } from './route.ts'
import { Inline } from './text.tsx'

/** The pictures: each only where the run has what it shows. */
export function ChartsView({ overview }: { readonly overview: PageOverview }): JSX.Element {
  const { reports, rows } = overview
  const triggers = reports.flatMap(({ triggers: tables, agent }) =>
    tables.map((table) => ({ table, engine: agent?.runtime ?? null })),
  )
  const lift = reports.flatMap((report) => report.lift.map((one) => ({ one, engine: report.agent?.runtime ?? null })))
  const rates = rows.filter(({ rate }) => rate !== null && rate.value !== null)
  const variants = [...groupBy(rows, nameOfVariant).keys()]
  const compared = reports.flatMap(({ against }) => (against === null ? [] : [against]))
  const isEmpty =
    compared.length === 0 && triggers.length === 0 && lift.length === 0 && rates.length === 0 && variants.length < 2
  return (
    <div class="charts">
      <h2>Charts</h2>
      {isEmpty && (
        <p class="empty">
          This run has nothing to draw: no trigger queries, no case with several runs, no run without the skill, one
          engine and one model. Use <code>--runs</code>, <code>--baseline</code>, or several engines or models.
        </p>
      )}
      {compared.map((one) => (
        <Against against={one} />
      ))}
      {triggers.map(({ table, engine }) => (
        <Confusion table={table} engine={triggers.length > 1 ? engine : null} />
      ))}
      {lift.length > 0 && <Lift lifts={lift} />}
      {rates.length > 0 && <Rates rows={rates} />}
      {variants.length > 1 && <Matrix rows={rows} variants={variants} />}
    </div>
  )
}

type Table = PageReport['triggers'][number]

/** Which runs used the skill, against which should have: a table whose cells are shaded by their share. */
function Confusion({ table, engine }: { readonly table: Table; readonly engine: string | null }): JSX.Element {
  const { true_positives: tp, false_positives: fp, true_negatives: tn, false_negatives: fn } = table
  const shade = scaleLinear([0, Math.max(1, tp, fp, tn, fn)], [0, 1])
  const cell = (value: number, isRight: boolean, meaning: string): JSX.Element => (
    <td class={isRight ? 'right' : 'wrong'} style={{ '--share': shade(value).toFixed(3) }}>
      <strong>{value}</strong>
      <span>
        {isRight ? '✓' : '✗'} {meaning}
      </span>
    </td>
  )
  const others = Object.entries(table.fired_instead)
  return (
    <figure class="card">
      <figcaption>
        <h3>Triggers: was the skill used when it should be?</h3>
        <p>
          <Inline text={table.suite} />
          {engine !== null && <Inline text={` on ${engine}`} />}
          {table.model !== null && <Inline text={`, ${table.model}`} />} · {plural(table.queries, 'query', 'queries')} ·
          precision {percent(table.precision)} · recall {percent(table.recall)}
        </p>
      </figcaption>
      <table class="confusion">
        <thead>
          <tr>
            <td />
            <th scope="col">Runs that used it</th>
            <th scope="col">Runs that did not</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Should be used</th>
            {cell(tp, true, 'used as wanted')}
            {cell(fn, false, 'missed')}
          </tr>
          <tr>
            <th scope="row">Should not be used</th>
            {cell(fp, false, 'used without need')}
            {cell(tn, true, 'rightly left alone')}
          </tr>
        </tbody>
      </table>
      {others.length > 0 && (
        <p>
          Used instead: <Inline text={others.map(([skill, runs]) => `${skill} (${runs})`).join(', ')} />
        </p>
      )}
    </figure>
  )
}

/** A rate with its interval on a line from 0 to 100%. What it shows stands beside it as text. */
export function IntervalBar({
  rate,
  interval: bounds,
  threshold = null,
  tone = '',
}: {
  readonly rate: number | null
  readonly interval: readonly [number, number] | null
  readonly threshold?: number | null
  readonly tone?: string
}): JSX.Element {
  // In percent of the width, so that a dot stays round however wide its cell is.
  const place = scaleLinear([0, 1], [3, 97]).clamp(true)
  const x = (share: number): string => `${place(share)}%`
  return (
    <svg class={`interval ${tone}`} aria-hidden="true">
      <line class="axis" x1={x(0)} x2={x(1)} y1="8" y2="8" />
      {[0, 0.25, 0.5, 0.75, 1].map((at) => (
        <line class="tick" x1={x(at)} x2={x(at)} y1="5.5" y2="10.5" />
      ))}
      {threshold !== null && <line class="threshold" x1={x(threshold)} x2={x(threshold)} y1="1" y2="15" />}
      {bounds !== null && <line class="range" x1={x(bounds[0])} x2={x(bounds[1])} y1="8" y2="8" />}
      {rate !== null && <circle class="dot" cx={x(rate)} cy="8" r="4.5" />}
    </svg>
  )
}

type LiftOf = PageReport['lift'][number]

/** What each skill adds: its cases with and without it. */
function Lift({
  lifts,
}: {
  readonly lifts: readonly { readonly one: LiftOf; readonly engine: string | null }[]
}): JSX.Element {
  const isMatrix = new Set(lifts.map(({ engine }) => engine)).size > 1
  return (
    <figure class="card">
      <figcaption>
        <h3>Lift: what each skill adds</h3>
        <p>The pass rate of the same cases with the skill and without it. The difference is the mean over the cases.</p>
      </figcaption>
      <table class="rates lift">
        <thead>
          <tr>
            <th scope="col">Skill</th>
            <th scope="col">Arm</th>
            <PlotColumn />
            <th scope="col" class="number">
              Passed
            </th>
            <th scope="col" class="number">
              95% interval
            </th>
          </tr>
        </thead>
        {lifts.map(({ one, engine }) => (
          <tbody>
            <tr>
              <th scope="rowgroup" rowSpan={2}>
                <Inline text={`${one.target}${isMatrix ? ` (${engine ?? 'unknown'})` : ''}`} />
                <span class="where">{describe(one)}</span>
              </th>
              <Arm label="with" arm={one.with_skill} tone="with" />
            </tr>
            <tr>
              <Arm label="without" arm={one.without_skill} tone="without" />
            </tr>
          </tbody>
        ))}
      </table>
    </figure>
  )
}

function Arm({
  label,
  arm,
  tone,
}: {
  readonly label: string
  readonly arm: LiftOf['with_skill']
  readonly tone: string
}): JSX.Element {
  return (
    <>
      <td class="arm">{label}</td>
      <td class="plot">
        <IntervalBar rate={arm.rate} interval={arm.interval} tone={tone} />
      </td>
      <td class="number" data-label="Passed">
        {percent(arm.rate)} ({arm.passed} of {arm.completed})
      </td>
      <td class="number" data-label="95% interval">
        {interval(arm.interval)}
      </td>
    </>
  )
}

function describe({ difference, cases, better, worse, same, p_value: p, too_few: few }: LiftOf): string {
  const lift = difference === null ? 'n/a' : formatPoints(difference)
  const chance = p === null ? 'scripted answers' : few ? 'too few cases for a test' : `p = ${p}`
  return [lift, plural(cases, 'case'), `${better} better, ${worse} worse, ${same} same`, chance]
    .filter((part) => part !== '')
    .join(' · ')
}

/** How each case came out on each engine and model, at which rate, cost and time. */
function Matrix({
  rows,
  variants,
}: {
  readonly rows: readonly PageRow[]
  readonly variants: readonly string[]
}): JSX.Element {
  const counted = rows.filter(({ arm }) => arm === null)
  const groups = groupBy(counted, ({ group }) => group)
  return (
    <figure class="card">
      <figcaption>
        <h3>Engines and models</h3>
        <p>
          The outcome of each case on each engine and model, its rate over several runs, its cost with the judge, and
          its time.
        </p>
      </figcaption>
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">Case</th>
            {variants.map((variant) => (
              <th scope="col">
                <Inline text={variant} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...groups.values()].map((group) => (
            <tr>
              <th scope="row">
                <Inline text={nameOfAll(group)} />
              </th>
              {variants.map((variant) => (
                <Cell row={group.find((one) => nameOfVariant(one) === variant)} />
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All cases</th>
            {variants.map((variant) => (
              <Sum rows={counted.filter((one) => nameOfVariant(one) === variant)} />
            ))}
          </tr>
        </tfoot>
      </table>
    </figure>
  )
}

function Cell({ row }: { readonly row: PageRow | undefined }): JSX.Element {
  if (row === undefined) return <td class="quiet">not planned</td>
  return (
    <td class={row.outcome}>
      <a href={linkTo('case', row.key)}>
        <OutcomeBadge outcome={row.outcome} />
      </a>{' '}
      <Figures
        rate={row.rate === null ? null : `${row.rate.of} ${row.rate.count} of ${row.rate.completed}`}
        cost={row.runs === 0 ? null : dollars(row.cost_usd)}
        time={row.runs === 0 ? null : row.duration_seconds}
      />
    </td>
  )
}

/** What all cases of a column came to. A rate is over what was decided, as in the summary of a run. */
function Sum({ rows }: { readonly rows: readonly PageRow[] }): JSX.Element {
  const decided = rows.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
  const passed = decided.filter(({ outcome }) => outcome === 'passed').length
  const ran = rows.filter(({ runs }) => runs > 0)
  const cost = sumOf(ran, ({ cost_usd: usd }) => usd ?? 0)
  return (
    <td>
      {percent(decided.length === 0 ? null : passed / decided.length)}{' '}
      <Figures
        rate={`${passed} of ${decided.length} passed`}
        cost={costOf({ cost_usd: cost, unknown_cost: ran.filter(({ cost_usd: usd }) => usd === null).length })}
        time={sumOf(ran, ({ duration_seconds: time }) => time ?? 0)}
      />
    </td>
  )
}

function Figures({
  rate,
  cost,
  time,
}: {
  readonly rate: string | null
  readonly cost: string | null
  readonly time: number | null
}): JSX.Element {
  const parts = [rate, cost, time === null ? null : seconds(time)].filter((part) => part !== null)
  return <div class="where">{parts.join(' · ')}</div>
}

// Each name says its variant at its end, where there are several.
function nameOfAll(group: readonly PageRow[]): string {
  const [first] = group
  if (first === undefined) return ''
  const ends = [`(${nameOfVariant(first)})`, `(${first.engine})`, `(${first.planned_model ?? ''})`].map(
    (end) => ` ${end}`,
  )
  const end = ends.find((one) => first.name.endsWith(one))
  return end === undefined ? first.name : first.name.slice(0, -end.length)
}

/** Header of a column whose cells plot shares from 0 to 100%. */
function PlotColumn(): JSX.Element {
  return (
    <th scope="col" class="plot">
      <span aria-hidden="true" class="scale">
        <span>0%</span>
        <span>50%</span>
        <span>100%</span>
      </span>
      <span class="visually-hidden">Plot</span>
    </th>
  )
}

/** The rate of every case that ran several times, with its interval: a table with a plot in one column. */
function Rates({ rows }: { readonly rows: readonly PageRow[] }): JSX.Element {
  const isMatrix = groupBy(rows, nameOfVariant).size > 1
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
                    text={`${row.name}${row.arm === null ? '' : ` (${armName(row.arm)})`}${isMatrix ? ` (${nameOfVariant(row)})` : ''}`}
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
