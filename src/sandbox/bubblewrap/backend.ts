import { realpathSync } from 'node:fs'
import { INSIDE, insideExecutable } from '../inside.ts'
import { probeBubblewrap, type Bubblewrap } from './probe.ts'
import { bubblewrapCommand } from './command.ts'
import { bubblewrapRemedy } from './remedy.ts'
import type { Backend, SandboxPlace } from '../backend.ts'
import type { SandboxPaths } from '../sandbox.ts'

/** The sandbox of Linux: a session sees only its own folders, at fixed places. */
export const bubblewrap: Backend<Bubblewrap> = {
  hasFixedFolders: true,
  isUsual: (platform) => platform !== 'darwin',
  probeKey: ({ environment }) => environment['PATH'] ?? '',
  probe: ({ environment }) => probeBubblewrap(environment),
  command: bubblewrapCommand,
  // With the network of the host a bridge would take a port of the host.
  needsPort: ({ bridge, network }) => bridge && network,
  paths: bubblewrapPaths,
  remedy: bubblewrapRemedy,
}

function bubblewrapPaths(place: SandboxPlace): SandboxPaths {
  return {
    workspace: INSIDE.workspace,
    home: INSIDE.home,
    config: INSIDE.config,
    tmp: INSIDE.tmp,
    hooks: INSIDE.hooks,
    package: INSIDE.package,
    node: INSIDE.node,
    shim: INSIDE.shim,
    executable: insideExecutable(realpathSync(place.executable)),
    gatewaySocket: INSIDE.gatewaySocket,
    gatewayUrl: bubblewrapGatewayUrl(place),
  }
}

function bubblewrapGatewayUrl({ network, bridge, gatewayPort }: SandboxPlace): string {
  if (network) return `http://127.0.0.1:${gatewayPort}`
  if (bridge) return `http://127.0.0.1:${INSIDE.bridgePort}`

  // Only the socket leads out. A name that can never resolve shows at once when an engine ignores the socket.
  return 'http://gateway.invalid'
}
