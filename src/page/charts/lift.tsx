import type { JSX } from 'preact'
import { interval, percent, plural } from '../format.ts'
import { Inline } from '../text.tsx'
import { IntervalBar } from './interval-bar.tsx'
import { PlotColumn } from './plot-column.tsx'
import type { PageReport } from '../../report/page/page-data.ts'

type LiftOf = PageReport['lift'][number]

/** What each skill adds: its cases with and without it. */
export function Lift({
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
  const lift = difference === null ? 'n/a' : `${difference > 0 ? '+' : ''}${Math.round(difference * 100)} points`
  const chance = few ? 'too few cases for a test' : p === null ? '' : `p = ${p}`
  return [lift, plural(cases, 'case'), `${better} better, ${worse} worse, ${same} same`, chance]
    .filter((part) => part !== '')
    .join(' · ')
}
