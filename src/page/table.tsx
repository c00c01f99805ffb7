import type { ComponentChildren, JSX } from 'preact'

/** One column of a table. */
export interface Column<Row> {
  /** Its heading, and on a narrow screen what stands before each number. */
  readonly label: string
  /** The heading where it is more than the label. */
  readonly head?: ComponentChildren
  /** What its cells hold, if that is no text. */
  readonly kind?: 'chosen' | 'name' | 'number' | 'plot' | undefined
  /** `false` where a row has none. */
  readonly cell: (row: Row) => ComponentChildren
  /** Makes the heading a button. */
  readonly sort?: { readonly order: 'ascending' | 'descending' | 'none'; readonly change: () => void }
}

/** A table. On a narrow screen each row is a block of its own, unless the table is in a part that scrolls. */
export function Table<Row>({
  class: name = '',
  columns,
  rows,
  rowClass,
}: {
  readonly class?: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowClass?: (row: Row) => string
}): JSX.Element {
  return (
    <table class={`table ${name}`}>
      <thead>
        <tr>{columns.map(Heading)}</tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr class={rowClass?.(row)}>
            {columns.map(({ label, kind, cell }) => {
              const content = cell(row)
              if (kind === 'name')
                return (
                  <th scope="row" class="name">
                    {content}
                  </th>
                )
              return (
                <td class={content === false ? `${kind ?? ''} nothing` : kind} data-label={label}>
                  {content === false ? '–' : content}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Heading<Row>({ label, head = label, kind, sort }: Column<Row>): JSX.Element {
  if (head === '') return <td />
  return (
    <th scope="col" class={kind} aria-sort={sort?.order}>
      {sort === undefined ? (
        head
      ) : (
        <button type="button" onClick={sort.change}>
          {head}
          <span aria-hidden="true">{ARROWS[sort.order]}</span>
        </button>
      )}
    </th>
  )
}

const ARROWS = { ascending: ' ▲', descending: ' ▼', none: '' } as const
