import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatPoints } from '../lib/rates.ts'
import { diffTexts } from '../lib/text-diff.ts'
import type { PageReport } from '../report/page/page-data.ts'
import { DiffTable } from './case/changes.tsx'
import { Inline } from './text.tsx'

/** Each case before and after, and what differs between the two. */
export function Against({ against }: { readonly against: NonNullable<PageReport['against']> }): JSX.Element {
  const { ref, edits, texts, result } = against
  return (
    <figure class="card compared">
      <figcaption>
        <h3>
          Compared with <Inline text={ref} />
        </h3>
        <p>
          {result.verdict === 'failed' && 'Worse by more than noise. '}
          {result.pooled !== null &&
            `Pooled test: p = ${Number((result.pooled.p_value ?? 1).toPrecision(2))}, one-sided.`}
        </p>
      </figcaption>
      <table class="rates">
        <thead>
          <tr>
            {['Case', 'Before', 'After', 'Change', 'Cost and time'].map((title) => (
              <th scope="col">{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {result.cases.map((one) => (
            <tr>
              <th scope="row">
                <Inline text={one.name} />
                {one.why !== null && (
                  <span class="where">
                    <Inline text={`${one.status}: ${one.why}`} />
                  </span>
                )}
              </th>
              <td>{armText(one.before)}</td>
              <td>{armText(one.after)}</td>
              <td>
                {one.change === null ? '-' : formatPoints(one.change)}
                {one.interval !== null && ` (${formatPoints(one.interval[0])} to ${formatPoints(one.interval[1])})`}
              </td>
              <td>
                {spent(one.before)} → {spent(one.after)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul>
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
    </figure>
  )
}

type Changed = Pick<NonNullable<PageReport['against']>['texts'][number], 'after' | 'before' | 'part'>

function ChangedText({ part, before, after }: Changed): JSX.Element {
  const diff = useMemo(() => (before === null || after === null ? null : diffTexts(before, after)), [before, after])
  if (diff !== null) return <DiffTable name={`against:${part}`} lines={diff.lines} path={part} />
  return (
    <pre>
      <Inline text={`- ${before ?? '(none)'}\n+ ${after ?? '(none)'}`} />
    </pre>
  )
}

type ArmOf = NonNullable<PageReport['against']>['result']['cases'][number]['before']

function armText(arm: ArmOf): string {
  return arm === null ? '-' : `${arm.outcome}, ${arm.passed} of ${arm.completed}`
}

function spent(arm: ArmOf): string {
  if (arm === null) return '-'
  const cost = arm.cost_usd === null ? 'cost unknown' : `$${arm.cost_usd.toFixed(2)}`
  return `${cost}, ${arm.duration_seconds === null ? 'time unknown' : `${arm.duration_seconds.toFixed(1)} s`}`
}
