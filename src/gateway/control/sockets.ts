import { chmodSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { createTemporaryFolder } from '../../process/temporary-folder.ts'

/** A private folder for sockets. */
export interface SocketFolder {
  readonly control: string
  /** The path of another socket. */
  readonly next: () => string
  readonly remove: () => void
}

/** Name of a private folder for sockets. */
export const SOCKET_FOLDER: RegExp = /^aev-[A-Za-z0-9]{6}$/
/** Name of the socket that workers talk to. */
export const CONTROL_SOCKET = 'c.sock'
/** The contents of such a folder: beside that socket one for each session. */
export const SOCKET_NAME: RegExp = /^(?:c|\d+)\.sock$/

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

/** Takes no more connections and waits for the open ones, but not for longer than `patienceMs`. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  const timer = setTimeout(() => server.closeAllConnections(), patienceMs)
  await closed
  clearTimeout(timer)
}

/** Closes a server and its connections. */
export function closeAtOnce(server: Server): void {
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
