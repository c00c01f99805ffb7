import type { Limit } from '../pace/limit.ts'

/** The place of a lease among those that run at once. */
export interface Place {
  readonly enter: (signal: AbortSignal) => Promise<void>
  readonly leave: () => void
}

/** A place that is not taken yet. */
export function createPlace(limit: Pick<Limit, 'enter'>): Place {
  let leave: (() => void) | null = null
  return {
    async enter(signal) {
      const taken = await limit.enter(signal)
      if (signal.aborted) taken()
      else leave = taken
    },
    leave: () => leave?.(),
  }
}
