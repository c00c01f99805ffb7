import { createQueue } from './queue.ts'

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
  let running = 0
  let peak = 0
  const admit = (): void => {
    while (running < places && line.length > 0) {
      running += 1
      peak = Math.max(peak, running)
      line.call(createLeave())
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
    enter: (signal) => line.join(signal),
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
