import { join, posix } from 'node:path'
import { readableEtc, type HostLayout } from '../host-layout.ts'
import { protectedPaths } from '../prepare-session.ts'
import type { SandboxRequest } from '../sandbox.ts'

/** A request whose paths have been resolved and made. */
export interface RuntimeRequest extends SandboxRequest {
  /** Real path of the executable. */
  readonly realExecutable: string
  /** Folders and files of sandbox-runtime itself that have to be seen inside. */
  readonly ownPaths: readonly string[]
}

/** The configuration of sandbox-runtime, as far as this package uses it. */
export interface RuntimeConfig {
  readonly network: {
    /** Absent where the network is open; empty where nothing may be reached. */
    readonly allowedDomains?: readonly string[]
    readonly deniedDomains: readonly string[]
    readonly httpProxyPort: number
    readonly socksProxyPort: number
  }
  readonly filesystem: {
    readonly denyRead: readonly string[]
    readonly allowRead: readonly string[]
    readonly allowWrite: readonly string[]
    readonly denyWrite: readonly string[]
  }
  readonly ripgrep: { readonly command: string }
}

/** The complete configuration of sandbox-runtime for one session. Pure: what exists on the host is in `layout`. */
export function sandboxRuntimeConfig(
  request: RuntimeRequest,
  layout: Pick<HostLayout, 'top' | 'etc'>,
  platform: NodeJS.Platform,
): RuntimeConfig {
  const { root, network, gatewayPort, ownPaths, readOnly, realExecutable } = request
  const workspace = join(root, 'workspace')
  const narrowed = (request.writablePaths ?? []).map((path) => posix.join(workspace, path))
  const kept = protectedPaths(request)
  const allowWrite = [
    ...['home', 'config', 'tmp', 'hooks'].map((name) => join(root, name)),
    ...(request.writablePaths === null ? [workspace] : narrowed),
    ...kept.folders.map((path) => join(root, path)),
  ]
  const isMac = platform === 'darwin'
  return {
    network: {
      ...(network ? {} : { allowedDomains: [] }),
      deniedDomains: [],
      // In the place of its proxies stands the gateway: the one address that is in reach.
      httpProxyPort: gatewayPort,
      socksProxyPort: gatewayPort,
    },
    filesystem: {
      // On Linux what is mounted for a read-only folder would bury the writable ones in it, unless these are named again.
      denyRead: isMac ? MAC_PRIVATE : ['/', `${SHARED}/*`, ...narrowed],
      allowRead: [
        ...(isMac ? [] : [...layout.top.map(({ path }) => path), '/usr', ...readableEtc(layout, network)]),
        ...ownPaths,
        ...['package', 'workspace'].map((name) => join(root, name)),
        process.execPath,
        realExecutable,
        ...readOnly.map(({ from }) => from),
        ...allowWrite,
      ],
      allowWrite,
      denyWrite: [SHARED, `/private${SHARED}`, ...kept.files.map((path) => join(root, path))],
    },
    // It looks for files to protect in the folder that it is started in, where there are none.
    ripgrep: { command: 'true' },
  }
}

/** What it leaves open to whatever runs in it, here and elsewhere. */
const SHARED = '/tmp/claude'

/** Where people and programs keep their own on macOS. The rest is the system's, without which nothing starts there. */
const MAC_PRIVATE = [
  '/Users',
  '/Volumes',
  '/private/tmp',
  '/private/var/folders',
  '/private/var/tmp',
  '/private/var/root',
]
