/** Backends that enforce, and `none`. */
export type SandboxBackend = EnforcingBackend | 'none'

/** Backends that enforce. */
export type EnforcingBackend = (typeof BACKEND_NAMES)[number]

/** The names of the list in backends.ts. */
export const BACKEND_NAMES = ['bubblewrap', 'sandbox-runtime'] as const

/** What the option `sandbox` takes. */
export type SandboxChoice = 'auto' | 'prefer' | SandboxBackend

export const SANDBOX_CHOICES: readonly SandboxChoice[] = ['auto', 'prefer', ...BACKEND_NAMES, 'none']

/** What one session needs from its sandbox. Host paths unless stated otherwise. */
export interface SandboxRequest {
  /** Executable of the engine. */
  readonly executable: string
  readonly arguments: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Root of the run: `workspace/`, `home/`, `config/`, `tmp/`, `hooks/`, `package/` lie in it. */
  readonly root: string
  /** Read-only files the session needs: the engine's own, Node, the shim. Host path to path inside. */
  readonly readOnly: readonly { readonly from: string; readonly to: string }[]
  /** Folders below the workspace that may be written; `null` means all of it. */
  readonly writablePaths: readonly string[] | null
  /** Files that the session may only read, relative to `root`, such as `hooks/plan.json`; they exist. */
  readonly protectedFiles?: readonly string[]
  readonly network: boolean
  /** Unix socket of the gateway on the host. */
  readonly gatewaySocket: string
  /** TCP port of the gateway on the host. */
  readonly gatewayPort: number
  /** Whether the engine needs the gateway on TCP inside (a bridge), not only the socket. */
  readonly bridge: boolean
  /** Whether `/etc` should be a private writable decoy, so that a hook and not a read-only disk blocks. */
  readonly decoyEtc: boolean
}

/** What to spawn instead of the engine itself. */
export interface SandboxedCommand {
  readonly file: string
  readonly arguments: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Host folder to start in. */
  readonly cwd: string
  /** Extra file descriptors from 3 on, opened read-only before the spawn. */
  readonly descriptors: readonly string[]
  /** Whether the backend tells on the descriptor after these that the session has started. */
  readonly status: boolean
  /** `NAME=value` of the environment by which strays are found; `null` where the backend lets none escape. */
  readonly tag: string | null
  /** Milliseconds between asking the session to end and killing it; 0 where killing alone is clean. */
  readonly graceMs: number
}

/** Which backend is used, and what the report says about it. */
export interface SandboxDecision {
  readonly backend: SandboxBackend
  /** What was asked for. */
  readonly asked: SandboxChoice
  /** The backend and what it lacks here, or `none` with the reason, such as `none (container)`. */
  readonly enforced: string
  /** One line to show once; `null` when there is nothing to say. */
  readonly notice: string | null
  /** What the backend's probe found to work, in the backend's own words; plain data, since workers get it. */
  readonly found?: unknown
}

/** Why runs are not confined, and with it not started. */
export interface RefusedSandbox {
  readonly code: 'sandbox-unavailable'
  readonly message: string
  /** How recordings and scenarios of the user's own repository run all the same; `null` where these are refused too. */
  readonly ownRepository: SandboxDecision | null
}

/** Paths as a session of this backend sees them. */
export interface SandboxPaths {
  readonly workspace: string
  readonly home: string
  readonly config: string
  readonly tmp: string
  readonly hooks: string
  /** Copy of the package without evals and tests, read-only: the value of `${PACKAGE_ROOT}`. */
  readonly package: string
  /** Where a read-only file of the host is seen. */
  readonly node: string
  readonly shim: string
  readonly executable: string
  readonly gatewaySocket: string | null
  readonly gatewayUrl: string
}

/** What decides where a session sees its files. */
export interface PathRequest extends Pick<
  SandboxRequest,
  'root' | 'executable' | 'network' | 'gatewaySocket' | 'gatewayPort' | 'bridge'
> {
  /** The hook shim on the host. */
  readonly shim: string
}
