/** Output that is kept until it is known whether it is worth reading. */
export interface HeldOutput {
  /** Writes what was kept, to the same stream or to standard error alone, and keeps nothing more. */
  readonly release: (to?: 'stderr') => void
  /** Forgets what was kept, and keeps nothing more. */
  readonly drop: () => void
}

/** Keeps what is written to standard output and standard error from now on. */
export function holdOutput(): HeldOutput {
  const kept: { readonly from: NodeJS.WriteStream; readonly chunk: string | Uint8Array }[] = []
  const restore = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream)
    stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
      kept.push({ from: stream, chunk })
      const done = rest.find((one) => typeof one === 'function')
      if (done !== undefined) process.nextTick(done)
      return true
    }
    return (): void => {
      stream.write = write
    }
  })
  const stop = (): void => {
    for (const one of restore.splice(0)) one()
  }
  return {
    drop: stop,
    release(to) {
      stop()
      for (const { from, chunk } of kept.splice(0)) (to === 'stderr' ? process.stderr : from).write(chunk)
    },
  }
}
