/** Something that the main process makes ahead of time, by the name under which its workers ask for it. */
export interface PreparedValue {
  readonly name: string
  readonly value: Promise<object>
  /** Resolves when nothing that it has started is left; never rejects. */
  readonly over: Promise<void>
}

/** What the main process has prepared for its workers. */
export interface Prepared {
  /** Adds what is being prepared; it may turn out to be nothing. */
  add(making: Promise<PreparedValue | null>): void
  /** Waits for what is being prepared; `null` where none has this name, or it failed. */
  find(name: string): Promise<object | null>
  /** Resolves when nothing that was started for it is left. */
  over(): Promise<void>
}

export function createPrepared(): Prepared {
  const all: Promise<PreparedValue | null>[] = []
  return {
    add(making) {
      all.push(making.catch(() => null))
      // A watching Vitest adds one in each pass: what was before the last one has ended.
      if (all.length > 2) void all.shift()
    },
    async find(name) {
      for (const making of all) {
        const made = await making
        if (made?.name === name) return made.value.catch(() => null)
      }
      return null
    },
    async over() {
      for (const making of all) await (await making)?.over
    },
  }
}
