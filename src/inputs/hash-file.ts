import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Hashes what an open file holds, at most `maxBytes` of it, and lets other work go on during a large one. */
export async function hashOpenFile(
  fd: number,
  maxBytes: number,
): Promise<{ readonly hash: string; readonly size: number }> {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK)
  let size = 0
  for (;;) {
    const count = readSync(fd, chunk, 0, Math.min(CHUNK, maxBytes - size), size)
    if (count === 0) return { hash: hash.digest('hex'), size }
    hash.update(chunk.subarray(0, count))
    size += count
    if (size % TURN < count) await nextTurn()
  }
}

const CHUNK = 65_536
const TURN = 2_097_152
