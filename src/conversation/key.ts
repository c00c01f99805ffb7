import type { Lane } from './model.ts'

/** Where an answer is found again: the same in every run, whatever the engine itself writes into its requests. */
export interface TurnKey {
  /** `main`, `agent` or `side:<kind>`. */
  readonly lane: string
  /** What a sub-agent was given; `null` for the others. */
  readonly given: string | null
  /** Tells sub-agents apart that were given the same, by first appearance, from 0. */
  readonly slot: number
  /** Which different request of the lane it is, from 0. */
  readonly turn: number
}

/** Numbers the requests of one run. A request that is sent again, by a retry or without streaming, keeps its number. */
export function createTurnKeys(): (lane: Lane, fingerprint: string) => TurnKey {
  const lanes = new Map<string, LaneState>()
  const slots = new Map<string, number>()

  const open = (lane: Lane): LaneState => {
    const id = lane.kind === 'agent' ? `agent ${lane.id}` : nameOf(lane)
    const known = lanes.get(id)
    if (known !== undefined) return known
    const given = lane.kind === 'agent' ? lane.prompt : null
    const name = JSON.stringify([nameOf(lane), given])
    const slot = slots.get(name) ?? 0
    slots.set(name, slot + 1)
    const state = { lane: nameOf(lane), given, slot, turns: new Map<string, number>() }
    lanes.set(id, state)
    return state
  }

  return (asking, fingerprint) => {
    const { lane, given, slot, turns } = open(asking)
    const turn = turns.get(fingerprint) ?? turns.size
    turns.set(fingerprint, turn)
    return { lane, given, slot, turn }
  }
}

interface LaneState extends Omit<TurnKey, 'turn'> {
  /** Ordinals by fingerprint. */
  readonly turns: Map<string, number>
}

function nameOf(lane: Lane): string {
  return lane.kind === 'side' ? `side:${lane.name}` : lane.kind
}
