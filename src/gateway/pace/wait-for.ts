/**
 * A promise that rejects with the signal's reason when it aborts first. `begin` gets what ends the waiting, and returns how to
 * leave the line.
 */
export function waitFor<T>(
  signal: AbortSignal,
  begin: (resolve: (value: T) => void, reject: (error: Error) => void, over: () => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const line: { leave?: () => void } = {}
    const giveUp = (): void => {
      line.leave?.()
      reject(signal.reason)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    line.leave = begin(resolve, reject, () => signal.removeEventListener('abort', giveUp))
  })
}
