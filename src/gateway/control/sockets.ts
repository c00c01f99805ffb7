import { once } from 'node:events'
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentEvalsError } from '../../lib/errors.ts'
import { listNames } from '../../lib/files.ts'
import { createTemporaryFolder } from '../../sandbox/process/git.ts'

/** A private folder for sockets. */
export interface SocketFolder {
  readonly control: string
  /** The path of another socket. */
  readonly next: () => string
  readonly remove: () => void
}

/** Name of a private folder for sockets. */
const SOCKET_FOLDER: RegExp = /^aev-[A-Za-z0-9]{6}$/
/** Name of the socket that workers talk to. */
const CONTROL_SOCKET = 'c.sock'
/** The contents of such a folder: beside that socket one for each session. */
const SOCKET_NAME: RegExp = /^(?:c|\d+)\.sock$/

/** The kernel takes 107 bytes on Linux and 103 on macOS, the final zero left out. */
const MAX_SOCKET_PATH = 100

/** Makes a folder that only this user can enter, in the first place whose name is short enough for a socket. */
export function createSocketFolder(): SocketFolder {
  const base = [tmpdir(), '/tmp'].find(
    (path) => Buffer.byteLength(join(path, 'aev-XXXXXX/1234567.sock')) < MAX_SOCKET_PATH,
  )
  if (base === undefined)
    throw new AgentEvalsError(
      'gateway-unavailable',
      `The path ${tmpdir()} is too long for a socket. Set TMPDIR to a shorter one.`,
    )
  const folder = createTemporaryFolder('aev-', base)
  let sessions = 0
  return {
    control: join(folder, CONTROL_SOCKET),
    next: () => join(folder, `${(sessions += 1)}.sock`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Opens a server on a unix socket that only this user can connect to. It does not keep the process alive. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  await listening(server.listen(path))
  chmodSync(path, 0o600)
}

/** Opens a server on a free port of 127.0.0.1. It does not keep the process alive. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await listening(server.listen(0, '127.0.0.1'))
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new AgentEvalsError('gateway-unavailable', 'The gateway found no free port on 127.0.0.1.')
  return address.port
}

/** Closes a server and its connections. */
export function closeAtOnce(server: HttpServer): void {
  server.close()
  server.closeAllConnections()
}

async function listening(server: Server): Promise<void> {
  server.unref()
  try {
    await once(server, 'listening')
  } catch (error) {
    const message = `The gateway cannot listen on this machine: ${(error as Error).message}.`
    throw new AgentEvalsError('gateway-unavailable', message, { cause: error })
  }
}

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
