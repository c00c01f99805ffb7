/** How many may run at once; the others wait in the order they came. */
export interface Limit {
  /** Resolves with how to give the place back; rejects with the signal's reason when it aborts first. */
  enter(signal: AbortSignal): Promise<() => void>
  readonly running: number
  readonly waiting: number
  /** Most that ever ran at once. */
  readonly peak: number
}

export function createLimit(places: number): Limit {
  const queue: (() => void)[] = []
  let running = 0
  let peak = 0
  const admit = (): void => {
    while (running < places) {
      const next = queue.shift()
      if (next === undefined) return
      running += 1
      peak = Math.max(peak, running)
      next()
    }
  }
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
    enter(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const enter = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(createLeave())
        }
        const giveUp = (): void => {
          queue.splice(queue.indexOf(enter), 1)
          reject(signal.reason)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        queue.push(enter)
        admit()
      })
    },
    get running() {
      return running
    },
    get waiting() {
      return queue.length
    },
    get peak() {
      return peak
    },
  }
}
