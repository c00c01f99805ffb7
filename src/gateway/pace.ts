/** How many may run at once; the others wait in the order they came. */
export interface Limit {
  /** Resolves with how to give the slot back; rejects with the signal's reason when it aborts first. */
  enter(signal: AbortSignal): Promise<() => void>
  readonly running: number
  readonly waiting: number
  /** Most that ever ran at once. */
  readonly peak: number
}

export function createLimit(slots: number): Limit {
  let running = 0
  let peak = 0
  const admit = (): void => {
    while (running < slots && line.length > 0) {
      running += 1
      peak = Math.max(peak, running)
      line.admitNext(createLeave())
    }
  }
  const line = createQueue<() => void>(admit)
  const createLeave = (): (() => void) => {
    let left = false
    return () => {
      if (left) return
      left = true
      running -= 1
      admit()
    }
  }
  return {
    enter: (signal) => line.join(signal, null),
    get running() {
      return running
    },
    get waiting() {
      return line.length
    },
    get peak() {
      return peak
    },
  }
}

/** Those who wait for something, each with what it is to be chosen by. */
interface Queue<T, Name> {
  readonly length: number
  /** Waits to be called. Rejects with the signal's reason when it aborts first. */
  join(signal: AbortSignal, name: Name): Promise<T>
  /** Lets the next one in, with what it waited for, and returns its name; `undefined` where nobody waits. */
  admitNext(value: T): Name | undefined
}

/**
 * Makes a queue; `onJoin` checks whether one can be called at once.
 *
 * @param choose - index of who is called next, by the names of all who wait; by default the one that came first.
 */
export function createQueue<T, Name = null>(
  onJoin: () => void,
  choose: (waiting: readonly Name[]) => number = () => 0,
): Queue<T, Name> {
  const waiting: { readonly enter: (value: T) => void; readonly name: Name }[] = []
  return {
    get length() {
      return waiting.length
    },
    admitNext(value) {
      const [next] = waiting.splice(choose(waiting.map(({ name }) => name)), 1)
      next?.enter(value)
      return next?.name
    },
    join(signal, name) {
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const enter = (value: T): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(value)
        }
        const giveUp = (): void => {
          waiting.splice(
            waiting.findIndex((one) => one.enter === enter),
            1,
          )
          reject(signal.reason)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.push({ enter, name })
        onJoin()
      })
    },
  }
}
