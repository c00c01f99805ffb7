import { posix } from 'node:path'
import { TOP_FOLDERS } from './host-layout.ts'

/** Paths inside, the same on every machine, so that what the model sees does not vary. */
export const INSIDE = {
  workspace: '/workspace',
  home: '/home/agent',
  config: '/home/agent/.engine',
  tmp: '/tmp',
  hooks: '/run/agent-evals/hooks',
  package: '/opt/agent-evals/package',
  bin: '/opt/agent-evals/bin',
  node: '/opt/agent-evals/bin/node',
  shim: '/opt/agent-evals/hook-shim.js',
  engine: '/opt/agent-evals/engine/bin',
  /** What the engine's program has unpacked of itself. */
  unpacked: '/opt/agent-evals/unpacked',
  gatewaySocket: '/run/agent-evals/gateway.sock',
  /** Port of the bridge to the gateway; the network inside is the session's own, so it is always free. */
  bridgePort: 4100,
} as const

/** Names of everything at the root inside, on whatever host. */
export const INSIDE_TOP_FOLDERS: ReadonlySet<string> = new Set(
  [...Object.values(INSIDE), ...TOP_FOLDERS, '/dev', '/etc', '/proc', '/usr', '/var'].flatMap((path) =>
    typeof path === 'string' ? path.split('/').slice(1, 2) : [],
  ),
)

/** Where the engine's executable is seen: by its own name, without the suffix that npm packages give it. */
export function insideExecutable(realExecutable: string): string {
  return posix.join(INSIDE.engine, posix.basename(realExecutable).replace(/\.exe$/, ''))
}
