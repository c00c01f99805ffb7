import { realpathSync } from 'node:fs'
import { hostPaths } from '../host-paths.ts'
import type { SandboxPlace } from '../backend.ts'
import type { SandboxPaths } from '../sandbox.ts'

/** Files keep their places. On Linux the network is the session's own, with the gateway where a proxy would be. */
export function runtimePaths(place: SandboxPlace, platform: NodeJS.Platform): SandboxPaths {
  const port = platform === 'darwin' || place.network ? place.gatewayPort : RUNTIME_PROXY_PORT
  return {
    ...hostPaths(place),
    executable: realpathSync(place.executable),
    gatewaySocket: null,
    gatewayUrl: `http://127.0.0.1:${port}`,
  }
}

/** Where sandbox-runtime shows its HTTP proxy inside, on Linux. */
const RUNTIME_PROXY_PORT = 3128
