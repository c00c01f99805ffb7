import type { Thread } from './model.ts'

/** Where an answer is found again: the same in every run, whatever the engine itself writes into its requests. */
export interface TurnKey {
  /** `main`, `agent` or `side:<kind>`. */
  readonly thread: string
  /** What a sub-agent was given; `null` for the others. */
  readonly given: string | null
  /** Tells sub-agents apart that were given the same, by first appearance, from 0. */
  readonly slot: number
  /** Which different request of the thread it is, from 0. */
  readonly turn: number
}

/** Numbers the requests of one run. A request that is sent again, by a retry or without streaming, keeps its number. */
export function createTurnKeys(): (thread: Thread, fingerprint: string) => TurnKey {
  const threads = new Map<string, ThreadState>()
  const slots = new Map<string, number>()

  const open = (thread: Thread): ThreadState => {
    const id = thread.kind === 'agent' ? `agent ${thread.id}` : nameOf(thread)
    const known = threads.get(id)
    if (known !== undefined) return known
    const given = thread.kind === 'agent' ? thread.prompt : null
    const name = JSON.stringify([nameOf(thread), given])
    const slot = slots.get(name) ?? 0
    slots.set(name, slot + 1)
    const state = { thread: nameOf(thread), given, slot, turns: new Map<string, number>() }
    threads.set(id, state)
    return state
  }

  return (asking, fingerprint) => {
    const { thread, given, slot, turns } = open(asking)
    const turn = turns.get(fingerprint) ?? turns.size
    turns.set(fingerprint, turn)
    return { thread, given, slot, turn }
  }
}

interface ThreadState extends Omit<TurnKey, 'turn'> {
  /** Ordinals by fingerprint. */
  readonly turns: Map<string, number>
}

function nameOf(thread: Thread): string {
  return thread.kind === 'side' ? `side:${thread.name}` : thread.kind
}
