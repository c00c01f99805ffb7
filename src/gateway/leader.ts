/** One that goes first, or may follow. */
export interface Lead {
  /** Notes that its answer begins. */
  readonly begun: () => void
  /** Notes that there is no more to come. */
  readonly over: () => void
}

/** Lets one go first: what it leaves in a cache is there for the others. */
export interface Leader {
  /**
   * Resolves at once for all after one has begun; else for one at a time. `begun` is called when the answer begins, `over`
   * in any case.
   */
  enter(signal: AbortSignal): Promise<Lead>
}

export function createLeader(): Leader {
  let hasBegun = false
  let leading = false
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const woken = hasBegun ? waiting : waiting.slice(0, 1)
    waiting = waiting.slice(woken.length)
    leading = !hasBegun && woken.length > 0
    for (const go of woken) go()
  }
  return {
    async enter(signal) {
      if (!hasBegun && leading) {
        await new Promise<void>((resolve, reject) => {
          const leave = (): void => {
            waiting = waiting.filter((one) => one !== go)
            reject(signal.reason as Error)
          }
          const go = (): void => {
            signal.removeEventListener('abort', leave)
            resolve()
          }
          signal.addEventListener('abort', leave, { once: true })
          waiting.push(go)
        })
      } else if (!hasBegun) leading = true
      let isOver = hasBegun
      const end = (): void => {
        clearTimeout(patience)
        if (!isOver) wake()
        isOver = true
      }
      const begun = (): void => {
        hasBegun = true
        end()
      }
      // An API that hangs must not make one wait for the other.
      const patience = setTimeout(begun, PATIENCE_MS).unref()
      if (isOver) clearTimeout(patience)
      return { begun, over: end }
    },
  }
}

const PATIENCE_MS = 30_000
