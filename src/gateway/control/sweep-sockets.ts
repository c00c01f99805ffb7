import { lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONTROL_SOCKET, SOCKET_FOLDER, SOCKET_NAME } from './sockets.ts'
import { listNames } from '../../files.ts'

/** Removes the socket folders of processes that were killed: only ours, and only where no process listens any more. */
export async function sweepSockets(parents: readonly string[] = [tmpdir(), '/tmp']): Promise<readonly string[]> {
  const removed: string[] = []
  for (const parent of new Set(parents)) {
    for (const name of listNames(parent).filter((entry) => SOCKET_FOLDER.test(entry))) {
      const folder = join(parent, name)
      if (!isOurs(folder) || !(await isDeserted(folder))) continue
      rmSync(folder, { recursive: true, force: true })
      removed.push(folder)
    }
  }
  return removed
}

// Everybody may write to the temporary folder, so the name alone says nothing.
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false
  return listNames(folder).every((name) => SOCKET_NAME.test(name))
}

// A socket exists a moment before a process listens on it.
async function isDeserted(folder: string): Promise<boolean> {
  if (!(await isRefused(folder))) return false
  await sleep(PAUSE_MS)
  return isRefused(folder)
}

function isRefused(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(join(folder, CONTROL_SOCKET))
    const settle = (deserted: boolean): void => {
      probe.destroy()
      resolve(deserted)
    }
    probe.once('connect', () => settle(false))
    probe.once('error', (error) => settle('code' in error && DESERTED.has(error.code)))
  })
}

// A folder without a socket may be one that was made a moment ago.
const DESERTED = new Set<unknown>(['ECONNREFUSED'])
const PAUSE_MS = 200
