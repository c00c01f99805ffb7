import type { ModelRequest } from '../../recordings/messages.ts'

/** Holds the requests of a run until its worker has looked at what they carry: an answer would cost, and change nothing. */
export interface Lookout {
  /** Resolves once the request may be answered, and when the lease is over. */
  pass(): Promise<void>
  /** Lets those pass that were looked at, and waits for the next one; resolves with whether there is one. */
  next(): Promise<boolean>
}

export function createLookout(over: AbortSignal): Lookout {
  let held: (() => void)[] = []
  let looked: (() => void)[] = []
  let tell: (() => void) | null = null
  const passLooked = (): void => {
    for (const pass of looked.splice(0)) pass()
  }
  over.addEventListener(
    'abort',
    () => {
      looked.push(...held.splice(0))
      passLooked()
      tell?.()
    },
    { once: true },
  )
  return {
    pass: () =>
      new Promise((resolve) => {
        if (over.aborted) return resolve()
        held.push(resolve)
        tell?.()
      }),
    async next() {
      passLooked()
      if (held.length === 0 && !over.aborted) await new Promise<void>((resolve) => (tell = resolve))
      tell = null
      looked = held
      held = []
      return looked.length > 0
    },
  }
}

/** Whether a request can carry what decides a run: what a tool returned, or the beginning of a sub-agent. */
export function mayDecide({ thread, messages }: Pick<ModelRequest, 'messages' | 'thread'>): boolean {
  if (thread.kind === 'side') return false
  return thread.kind === 'agent' || messages.some(({ parts }) => parts.some(({ kind }) => kind === 'tool-result'))
}
