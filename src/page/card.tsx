import type { ComponentChildren, JSX } from 'preact'
import { Inline } from './text.tsx'

/** A part of a page under a title of its own. */
export function Card({
  class: name = '',
  title,
  label,
  note = '',
  children,
}: {
  readonly class?: string
  readonly title: ComponentChildren
  /** The title in a few plain words. */
  readonly label: string
  /** What is said beside the title. */
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <section class={`card ${name}`} aria-label={label}>
      <h2>
        {title} <span class="quiet">{note}</span>
      </h2>
      {children}
    </section>
  )
}

/** Names with their values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <Inline text={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
