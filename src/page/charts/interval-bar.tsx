import type { JSX } from 'preact'
import { scaleLinear } from 'd3-scale'

/** A rate with its interval on a line from 0 to 100 %. What it shows stands beside it as text. */
export function IntervalBar({
  rate,
  interval,
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
      {interval !== null && <line class="range" x1={x(interval[0])} x2={x(interval[1])} y1="8" y2="8" />}
      {rate !== null && <circle class="dot" cx={x(rate)} cy="8" r="4.5" />}
    </svg>
  )
}
