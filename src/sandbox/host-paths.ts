import { join } from 'node:path'
import type { SandboxPlace } from './backend.ts'
import type { SandboxPaths } from './sandbox.ts'

/** Paths of a session that sees its files where the host has them. */
export function hostPaths({ root, executable, shim, bridge, gatewayPort, gatewaySocket }: SandboxPlace): SandboxPaths {
  return {
    workspace: join(root, 'workspace'),
    home: join(root, 'home'),
    config: join(root, 'config'),
    tmp: join(root, 'tmp'),
    hooks: join(root, 'hooks'),
    package: join(root, 'package'),
    node: process.execPath,
    shim,
    executable,
    gatewaySocket: bridge ? null : gatewaySocket,
    gatewayUrl: `http://127.0.0.1:${gatewayPort}`,
  }
}
