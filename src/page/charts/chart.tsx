import type { ComponentChildren, JSX } from 'preact'

/** A card with a chart, its title and what it shows. */
export function Chart({
  title,
  note,
  isWide = false,
  children,
}: {
  readonly title: ComponentChildren
  readonly note: ComponentChildren
  readonly isWide?: boolean
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <figure class={isWide ? 'card wide' : 'card'}>
      <figcaption>
        <h3>{title}</h3>
        <p class="quiet">{note}</p>
      </figcaption>
      {children}
    </figure>
  )
}
