import type { JSX } from 'preact'
import { visibleLine } from '../visible-text.ts'
import type { Lane } from './lanes.ts'

/** A sub-agent by its number and its name: the number is the sign that no other one has. */
export function ThreadName({ lane }: { readonly lane: Lane }): JSX.Element {
  return (
    <span class="chip thread" style={hueOf(lane)} title={visibleLine(lane.agent)}>
      <b>{lane.number}</b> <bdi>{threadName(lane)}</bdi>
    </span>
  )
}

/** A sub-agent's name; its whole one ends in the id of the call that started it. */
export function threadName({ agent }: Pick<Lane, 'agent'>): string {
  const [name = agent] = agent.split('#')
  return visibleLine(name === '' ? agent : name)
}

/** The colour of a sub-agent: each next one as far from those before it as can be. */
export function hueOf({ number }: Pick<Lane, 'number'>): { readonly '--hue': string } {
  return { '--hue': ((number * GOLDEN_ANGLE + 190) % 360).toFixed(0) }
}

const GOLDEN_ANGLE = 137.508
