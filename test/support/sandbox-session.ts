import { createServer } from 'node:net'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sandboxCommand } from '../../src/sandbox/decide.ts'
import { runSandboxed, type SessionResult } from '../../src/sandbox/run.ts'
import type { Host } from '../../src/sandbox/backend.ts'
import type { SandboxDecision, SandboxRequest } from '../../src/sandbox/sandbox.ts'

type RunOptions = Parameters<typeof runSandboxed>[1]

export interface Session extends AsyncDisposable {
  /** Root of the run. */
  readonly root: string
  /** Host file below the workspace. */
  workspace(path: string): string
  readonly request: SandboxRequest
  /** Runs a shell script as if it were the engine. */
  shell(
    script: string,
    change?: Partial<SandboxRequest>,
    options?: RunOptions,
    host?: Partial<Host>,
  ): Promise<SessionResult>
}

/** A run root with a gateway that answers every connection with one line. */
export async function openSession(decision: SandboxDecision, folder = 'run'): Promise<Session> {
  const base = await mkdtemp(join(tmpdir(), 'sandbox-'))
  const root = join(base, folder)
  await mkdir(join(root, 'workspace'), { recursive: true })
  const gatewaySocket = join(base, 'gateway.sock')
  const gateway = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end('HTTP/1.0 200 OK\r\n\r\nthe gateway\n')
  })
  const loopback = createServer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nthe host\n'))
  await new Promise<void>((resolve) => gateway.listen(gatewaySocket, resolve))
  await new Promise<void>((resolve) => loopback.listen(0, '127.0.0.1', resolve))
  const address = loopback.address()
  const request: SandboxRequest = {
    executable: '/bin/sh',
    arguments: [],
    env: {},
    root,
    readOnly: [],
    writablePaths: null,
    network: false,
    gatewaySocket,
    gatewayPort: address !== null && typeof address === 'object' ? address.port : 0,
    bridge: false,
    decoyEtc: false,
  }

  return {
    root,
    request,
    workspace: (path) => join(root, 'workspace', path),
    shell: (script, change = {}, options = {}, host = {}) =>
      runSandboxed(sandboxCommand(decision, { ...request, arguments: ['-c', script], ...change }, host), options),
    async [Symbol.asyncDispose]() {
      gateway.close()
      loopback.close()
      await rm(base, { recursive: true, force: true })
    },
  }
}
