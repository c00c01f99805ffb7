import type { JSX } from 'preact'
import { OutcomeBadge } from '../icons.tsx'
import { linkTo } from '../route.ts'
import { Inline } from '../text.tsx'
import { groupBy } from '../../lists.ts'
import type { PageRow } from '../../report/page/page-data.ts'

/** How each case came out on each engine. */
export function Matrix({
  rows,
  engines,
}: {
  readonly rows: readonly PageRow[]
  readonly engines: readonly string[]
}): JSX.Element {
  const groups = groupBy(
    rows.filter(({ arm }) => arm === null),
    ({ group }) => group,
  )
  return (
    <figure class="card">
      <figcaption>
        <h3>Engines</h3>
        <p>The outcome of each case on each engine. An empty cell is a case that was not planned for that engine.</p>
      </figcaption>
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">Case</th>
            {engines.map((engine) => (
              <th scope="col">
                <Inline text={engine} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...groups.values()].map((group) => (
            <tr>
              <th scope="row">
                <Inline text={group[0]?.name ?? ''} />
              </th>
              {engines.map((engine) => (
                <Cell row={group.find((one) => one.engine === engine)} />
              ))}
            </tr>
          ))}
        </tbody>
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
      </a>
    </td>
  )
}
