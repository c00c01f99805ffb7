/** Returns what counts up, and says how far it is once a second, on stderr: output is for what was done. */
export function countTo(total: number, what: string): () => void {
  const isTerminal = process.stderr.isTTY === true
  let done = 0
  let said = performance.now()
  return () => {
    done += 1
    const now = performance.now()
    if (now - said < (isTerminal ? 1000 : 5000)) return
    said = now
    const line = `${what}: ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`
    process.stderr.write(isTerminal ? `\r${line}` : `${line}\n`)
  }
}
