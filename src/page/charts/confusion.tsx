import type { JSX } from 'preact'
import { scaleLinear } from 'd3-scale'
import { percent, plural } from '../format.ts'
import { Inline } from '../text.tsx'
import type { PageReport } from '../../report/page/page-data.ts'

type Table = PageReport['triggers'][number]

/** Which runs used the skill, against which should have: a table whose cells are shaded by their share. */
export function Confusion({ table, engine }: { readonly table: Table; readonly engine: string | null }): JSX.Element {
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
          {engine !== null && <Inline text={` on ${engine}`} />} ·{' '}
          {plural(table.queries, 'query').replace('querys', 'queries')} · precision {percent(table.precision)} · recall{' '}
          {percent(table.recall)}
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
