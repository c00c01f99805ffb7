import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, posix } from 'node:path'
import { sha256 } from '../lib/sha256.ts'
import { TOP_FOLDERS } from './host-layout.ts'
import type { SandboxPaths, SandboxRequest, SandboxedCommand } from './sandbox.ts'

/** What every session has, unless the request says otherwise; nothing else of the parent's environment is passed. */
export function insideEnvironment(): Readonly<Record<string, string>> {
  return {
    ...COMMON,
    HOME: INSIDE.home,
    TMPDIR: INSIDE.tmp,
    PATH: `${INSIDE.bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
  }
}

/** As {@link insideEnvironment} for a session that sees the host: programs are found where the parent finds them. */
export function hostEnvironment(
  { home, tmp, node }: Pick<SandboxPaths, 'home' | 'tmp' | 'node'>,
  parent: Environment,
): Readonly<Record<string, string>> {
  const needed = NEEDED_ON_WINDOWS.flatMap((name) => {
    const value = parent[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...COMMON,
    ...Object.fromEntries(needed),
    HOME: home,
    TMPDIR: tmp,
    PATH: [dirname(node), parent['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
  }
}

/** Folders of `PATH` that no package has a hand in. */
export function trustedFolders(environment: Environment): readonly string[] {
  const folders = (environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(':')
  return folders.filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'))
}

const COMMON = { LANG: 'C.UTF-8', LOGNAME: 'agent', SHELL: '/bin/bash', TERM: 'dumb', USER: 'agent' }
const NEEDED_ON_WINDOWS = ['SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'WINDIR']

/** Variables of a process; `undefined` is absent. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Whether this is a build machine: `CI` is set to anything that does not say no. */
export function isCi(environment: Environment): boolean {
  return !['', '0', 'false'].includes((environment['CI'] ?? '').toLowerCase())
}

/** Whether an editor runs Vitest: it does so by itself, on every save. */
export function isEditor(environment: Environment): boolean {
  return environment['VITEST_VSCODE'] === 'true'
}

/** Whether this runs in a container, where another sandbox often cannot be made. */
export function isContainer(
  environment: Environment,
  readText: (path: string) => string | null = readTextFile,
): boolean {
  if (['container', 'KUBERNETES_SERVICE_HOST'].some((name) => (environment[name] ?? '') !== '')) return true
  if (MARKERS.some((path) => readText(path) !== null)) return true

  return /docker|containerd|kubepods|libpod|lxc|garden/.test(readText('/proc/1/cgroup') ?? '')
}

/** Text of a small system file; `null` when it is absent or unreadable. */
export function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return existsSync(path) ? '' : null
  }
}

const MARKERS = ['/.dockerenv', '/run/.containerenv']

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

/** The engine itself on the host: nothing is enforced, but its environment is closed and its strays are found. */
export function unconfinedCommand(request: SandboxRequest, parent: Environment): SandboxedCommand {
  const { root } = request
  const run = runTag(request)
  const places = { home: join(root, 'home'), tmp: join(root, 'tmp'), node: process.execPath }
  return {
    file: request.executable,
    arguments: request.arguments,
    env: { ...hostEnvironment(places, parent), ...request.env, [run.name]: run.value },
    cwd: join(root, 'workspace'),
    descriptors: [],
    status: false,
    tag: `${run.name}=${run.value}`,
    graceMs: 3000,
  }
}

/** The mark of a session, by which what it leaves behind is found. */
export function runTag({ env, root }: Pick<SandboxRequest, 'env' | 'root'>): { name: string; value: string } {
  // The main process looks for the same mark when a worker dies, so the caller's own is kept.
  const value = env[RUN_VARIABLE] ?? sha256(root, 16)
  return { name: RUN_VARIABLE, value }
}

const RUN_VARIABLE = 'AGENT_EVALS_RUN'

const PRLIMIT_PROGRAM = '/usr/bin/prlimit'

/** Bounds the processes and file sizes of a session. The kernel exempts root from the bound on processes. */
export const PRLIMIT: readonly string[] = [PRLIMIT_PROGRAM, '--nproc=1024', `--fsize=${2 ** 30}`, '--core=0']

/** Whether {@link PRLIMIT} can be used here. */
export function hasPrlimit(): boolean {
  return existsSync(PRLIMIT_PROGRAM)
}
