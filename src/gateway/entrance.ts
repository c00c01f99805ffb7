import { createServer } from 'node:http'
import { closeAtOnce, listenOnLoopback, listenOnSocket, type SocketFolder } from './control/sockets.ts'
import { serveModel } from './model-server.ts'
import type { Lease } from './leases/create-lease.ts'

/** The way by which one session reaches its lease. Each has its own: what it does to it harms no other. */
export interface Entrance {
  readonly socket: string
  /** `null` without one. */
  readonly port: number | null
  /** Lets in who has the lease's credential. */
  admit(lease: Lease): void
  close(): void
}

/** Opens a socket, and a port only where no socket can be reached: all users of the machine can connect to a port. */
export async function openEntrance(folder: SocketFolder, hasPort: boolean): Promise<Entrance> {
  const socket = folder.next()
  const onSocket = createServer({ insecureHTTPParser: false })
  const onPort = hasPort ? createServer({ insecureHTTPParser: false }) : null
  await listenOnSocket(onSocket, socket)
  return {
    socket,
    port: onPort === null ? null : await listenOnLoopback(onPort),
    admit(lease) {
      serveModel(onSocket, lease, true)
      if (onPort !== null) serveModel(onPort, lease, false)
    },
    close() {
      for (const server of [onSocket, onPort]) if (server !== null) closeAtOnce(server)
    },
  }
}
