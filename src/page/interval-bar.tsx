import type { JSX } from 'preact'

/** A share with its interval on a line from 0 to 100%. What it shows stands beside it as text. */
export function IntervalBar({
  share,
  interval,
  tone = '',
}: {
  readonly share: number | null
  readonly interval: readonly [number, number] | null
  readonly tone?: string
}): JSX.Element {
  return (
    <svg class={`interval ${tone}`} aria-hidden="true">
      <line class="axis" x1={x(0)} x2={x(1)} y1="8" y2="8" />
      {[0, 0.5, 1].map((tick) => (
        <line class="axis" x1={x(tick)} x2={x(tick)} y1="5" y2="11" />
      ))}
      {interval !== null && <line class="range" x1={x(interval[0])} x2={x(interval[1])} y1="8" y2="8" />}
      {share !== null && <circle class="dot" cx={x(share)} cy="8" r="4.5" />}
    </svg>
  )
}

// Percent of the width, so that a dot stays round in a wide cell, and room for a half of it at both ends.
function x(share: number): string {
  return `${3 + 94 * share}%`
}
