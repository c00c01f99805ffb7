import { setMaxListeners } from 'node:events'

/** Lets some runs go before all others. */
export interface Priority {
  /** Makes all other runs wait until {@link end}; calling it again replaces who goes first. */
  begin(isFirst: (caseId: string) => boolean): void
  end(): void
  /** Resolves when it is the run's turn to wait for a place. Rejects with the signal's reason when it aborts first. */
  turnOf(caseId: string, signal: AbortSignal): Promise<void>
}

/** At first everybody's turn is at once. */
export function createPriority(): Priority {
  let isFirst: ((caseId: string) => boolean) | null = null
  let over = new AbortController()
  const mustWait = (caseId: string): boolean => isFirst !== null && !isFirst(caseId)
  return {
    begin(predicate) {
      over.abort()
      isFirst = predicate
      over = new AbortController()
      // A listener for each waiting run is no leak.
      setMaxListeners(0, over.signal)
    },
    end() {
      isFirst = null
      over.abort()
    },
    async turnOf(caseId, signal) {
      while (mustWait(caseId)) {
        const either = AbortSignal.any([over.signal, signal])
        await new Promise<void>((resolve) => {
          if (either.aborted) resolve()
          else either.addEventListener('abort', () => resolve(), { once: true })
        })
        signal.throwIfAborted()
      }
    },
  }
}
