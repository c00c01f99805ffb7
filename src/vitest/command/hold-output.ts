/** Output that is kept until it is known whether it is worth reading. */
export interface HeldOutput {
  /** Writes what was kept, to the same stream or to standard error alone, and keeps nothing more. */
  readonly release: (to?: 'stderr') => void
  /** Forgets what was kept, and keeps nothing more. */
  readonly drop: () => void
}

type Write = NodeJS.WriteStream['write']

/** Keeps what is written to standard output and standard error from now on. */
export function holdOutput(): HeldOutput {
  const streams = [process.stdout, process.stderr] as const
  const originals = streams.map((stream): Write => stream.write.bind(stream))
  const kept: { readonly from: number; readonly chunk: string | Uint8Array }[] = []
  const isHolding = { now: true }
  for (const [from, stream] of streams.entries()) {
    stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
      kept.push({ from, chunk })
      const done = rest.find((one) => typeof one === 'function')
      if (done !== undefined) process.nextTick(done)
      return true
    }
  }
  const stop = (): boolean => {
    const wasHolding = isHolding.now
    isHolding.now = false
    if (wasHolding) for (const [index, stream] of streams.entries()) stream.write = originals[index] ?? stream.write
    return wasHolding
  }
  return {
    drop: () => void stop(),
    release(to) {
      if (stop()) for (const { from, chunk } of kept) streams[to === 'stderr' ? 1 : from]?.write(chunk)
    },
  }
}
