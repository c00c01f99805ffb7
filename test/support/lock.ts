import { mkdir, rm, stat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const STALE_AFTER_MS = 30_000

/** Runs `work` while no other process does so under the same path; a lock whose owner died is taken over. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  await mkdir(dirname(lock), { recursive: true })
  while (!(await taken(lock))) {
    await removeStale(lock)
    await wait(100)
  }
  const heartbeat = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => {}), STALE_AFTER_MS / 6)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    await rm(lock, { recursive: true, force: true })
  }
}

async function taken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function removeStale(lock: string): Promise<void> {
  const age = await stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
  if (age > STALE_AFTER_MS) await rm(lock, { recursive: true, force: true })
}
