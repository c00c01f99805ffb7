/** Those who wait for something, in the order they came. */
export interface Queue<T> {
  readonly length: number
  /** Waits to be called. Rejects with the signal's reason when it aborts first. */
  join(signal: AbortSignal): Promise<T>
  /** Calls the first, with what it waited for. */
  call(value: T): void
}

/** Makes a line; `onJoin` checks whether one can be called at once. */
export function createQueue<T>(onJoin: () => void): Queue<T> {
  const line: ((value: T) => void)[] = []
  return {
    get length() {
      return line.length
    },
    call: (value) => line.shift()?.(value),
    join(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const enter = (value: T): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(value)
        }
        const giveUp = (): void => {
          line.splice(line.indexOf(enter), 1)
          reject(signal.reason)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        line.push(enter)
        onJoin()
      })
    },
  }
}
