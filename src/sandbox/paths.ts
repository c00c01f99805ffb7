import { realpathSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { INSIDE, insideExecutable } from './inside.ts'
import type { SandboxDecision, SandboxPaths, SandboxRequest } from './sandbox.ts'

/** What decides where a session sees its files. */
export interface SandboxPlace extends Pick<
  SandboxRequest,
  'root' | 'executable' | 'network' | 'gatewaySocket' | 'gatewayPort' | 'bridge'
> {
  /** The hook shim on the host. */
  readonly shim: string
}

/** Paths as the session will see them; known before the session is built. */
export function sandboxPaths(
  decision: Pick<SandboxDecision, 'backend'>,
  place: SandboxPlace,
  platform: NodeJS.Platform = process.platform,
): SandboxPaths {
  if (decision.backend === 'bubblewrap') return bubblewrapPaths(place)
  return decision.backend === 'sandbox-runtime' ? runtimePaths(place, platform) : hostPaths(place)
}

/** Where a runtime file of the engine goes, so that it lies beside the executable as on the host. */
export function insideRuntimeFile(executable: string, file: string): string {
  const beside = relative(dirname(realpathSync(executable)), realpathSync(file))
  const inside = posix.join(INSIDE.engine, beside)
  if (inside.startsWith(posix.dirname(INSIDE.engine) + posix.sep)) return inside

  throw new AgentEvalsError(
    'unsafe-path',
    `${file} lies too far from ${executable} to be shown beside it in the sandbox. Name files at most one folder above the executable.`,
  )
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

// Files keep their places. On Linux the network is the session's own, with the gateway where a proxy would be.
function runtimePaths(place: SandboxPlace, platform: NodeJS.Platform): SandboxPaths {
  const port = platform === 'darwin' || place.network ? place.gatewayPort : RUNTIME_PROXY_PORT
  return {
    ...hostPaths(place),
    executable: realpathSync(place.executable),
    gatewayUrl: `http://127.0.0.1:${port}`,
  }
}

/** Where sandbox-runtime shows its HTTP proxy inside, on Linux. */
const RUNTIME_PROXY_PORT = 3128

function hostPaths({ root, executable, shim, gatewayPort }: SandboxPlace): SandboxPaths {
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
    gatewaySocket: null,
    gatewayUrl: `http://127.0.0.1:${gatewayPort}`,
  }
}
