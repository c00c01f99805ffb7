/** Keeps a run alive whose reader has left, as in `vitest | head -1`: what is paid for still ends in a report. */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners('error').includes(ignoreClosedPipe)) continue
    stream.on('error', ignoreClosedPipe)
  }
}

function ignoreClosedPipe(error: Error): void {
  if ('code' in error && (error.code === 'EPIPE' || error.code === 'EIO')) return
  throw error
}
