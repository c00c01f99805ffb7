/** Money of which requests take their share, in US dollars. */
export interface Ledger {
  readonly max: number
  /** How errors call it. */
  readonly name: string
  /** Environment variable that raises it. */
  readonly variable: string
  spent: number
  reserved: number
}

/** Ledgers that every request of a gateway takes from. */
export interface Purse {
  /**
   * Takes the money for one request from all ledgers at once, and waits while other requests hold it.
   *
   * Rejects with the signal's reason when it aborts first, and with what `hopeless` makes of a ledger that can never
   * hold so much again.
   */
  take(
    ledgers: readonly Ledger[],
    usd: number,
    signal: AbortSignal,
    hopeless: (ledger: Ledger) => Error,
  ): Promise<Taken>
  /** Gives money back that was charged. */
  refund(ledgers: readonly Ledger[], usd: number): void
}

/** Puts back what was taken and charges what it has cost. */
export type Taken = (costUsd: number) => void

export function createPurse(): Purse {
  const waiting = new Set<() => boolean>()
  const admit = (): void => {
    for (const attempt of waiting) if (attempt()) waiting.delete(attempt)
  }
  return {
    take(ledgers, usd, signal, hopeless) {
      return new Promise((resolve, reject) => {
        const attempt = (): boolean => {
          const short = ledgers.find(({ max, spent }) => spent + usd > max)
          const isFull = ledgers.some(({ max, spent, reserved }) => spent + reserved + usd > max)
          if (short === undefined && isFull) return false
          signal.removeEventListener('abort', giveUp)
          if (short !== undefined) {
            reject(hopeless(short))
            return true
          }
          charge(ledgers, usd, 0)
          resolve((costUsd) => {
            charge(ledgers, -usd, costUsd)
            admit()
          })
          return true
        }
        const giveUp = (): void => {
          waiting.delete(attempt)
          reject(signal.reason)
        }
        if (signal.aborted) return giveUp()
        signal.addEventListener('abort', giveUp, { once: true })
        if (!attempt()) waiting.add(attempt)
      })
    },
    refund(ledgers, usd) {
      charge(ledgers, 0, -usd)
      admit()
    },
  }
}

function charge(ledgers: readonly Ledger[], reserved: number, spent: number): void {
  for (const ledger of ledgers) {
    ledger.reserved += reserved
    ledger.spent += spent
  }
}
