import { accessSync, constants, realpathSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { missing, tryOut, type FailedProbe, type Failure, type Host, type WorkingBackend } from '../backend.ts'
import {
  INSIDE,
  PRLIMIT,
  hasPrlimit,
  insideEnvironment,
  insideExecutable,
  trustedFolders,
  type Environment,
} from '../environment.ts'
import { etcMounts, readHostLayout, writeEtc, type HostLayout } from '../host-layout.ts'
import { prepareSession, protectedPaths } from '../prepare-session.ts'
import type { SandboxRequest, SandboxedCommand } from '../sandbox.ts'

/**
 * What to spawn for a prepared session in bubblewrap. All options go through a file: `ps` shows a command line to every
 * user, and an environment passed to bwrap itself would let a case's LD_PRELOAD run outside.
 */
export function bubblewrapCommand(
  bubblewrap: Bubblewrap,
  request: SandboxRequest,
  { layout }: Pick<Host, 'layout'>,
): SandboxedCommand {
  const { root } = request
  writeEtc(root)
  const resolved = {
    ...request,
    realExecutable: realpathSync(request.executable),
    env: { ...insideEnvironment(), ...request.env },
  }
  const argumentsFile = join(root, 'bubblewrap-arguments')
  writeFileSync(argumentsFile, separate(bubblewrapArguments(resolved, layout, bubblewrap)), { mode: 0o600 })
  return {
    file: bubblewrap.program,
    arguments: ['--args', '3', '--json-status-fd', '4', '--', ...insideCommand(resolved, layout, bubblewrap)],
    env: {},
    cwd: root,
    descriptors: [argumentsFile],
    status: true,
    tag: null,
    graceMs: 0,
  }
}

// A null byte in a value would be read as the start of another option, such as one more mount.
function separate(values: readonly string[]): string {
  const wrong = values.find((value) => value.includes('\0'))
  if (wrong === undefined) return values.map((value) => `${value}\0`).join('')

  throw new AgentEvalsError(
    'invalid-suite',
    `A path or a variable of \`env\` contains a null byte: ${JSON.stringify(wrong)}. Remove it.`,
  )
}

/** A request whose paths have been resolved and made. */
interface BubblewrapRequest extends SandboxRequest {
  /** Real path of the executable. */
  readonly realExecutable: string
}

/** All arguments of `bwrap` but for the command. Pure: what exists on the host is in `layout`. */
function bubblewrapArguments(
  request: BubblewrapRequest,
  layout: HostLayout,
  { disableUserns }: Bubblewrap,
): readonly string[] {
  return [
    ...isolation(request.network, disableUserns),
    ...systemMounts(layout),
    etcMounts(request, layout),
    ...runMounts(request),
    ...workspaceMounts(request),
    ...protectedMounts(request),
    // Last, since every mount point before it had to be made.
    ['--remount-ro', '/'],
    ['--chdir', INSIDE.workspace],
    ...Object.entries(request.env).map(([name, value]) => ['--setenv', name, value]),
  ].flat()
}

/** The command inside: the engine, bounded by `prlimit` and started by the bridge where these are used. */
function insideCommand(request: BubblewrapRequest, layout: HostLayout, { limits }: Bubblewrap): readonly string[] {
  const engine = [insideExecutable(request.realExecutable), ...request.arguments]
  const bounded = limits ? [...PRLIMIT, ...engine] : engine
  if (!request.bridge || request.network) return bounded

  return ['/bin/sh', '-c', bridgeScript(layout.hasSocat), 'sh', ...bounded]
}

type Option = readonly string[]

function isolation(network: boolean, disableUserns: boolean): readonly Option[] {
  return [
    ['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network ? [] : [['--unshare-net']]),
    ['--uid', '1000', '--gid', '1000'],
    ...(disableUserns ? [['--disable-userns']] : []),
    // For a caller who is root, all capabilities would otherwise stay.
    ['--cap-drop', 'ALL'],
    ['--die-with-parent', '--new-session', '--hostname', 'agent-evals'],
  ]
}

function systemMounts(layout: HostLayout): readonly Option[] {
  return [
    ['--ro-bind', '/usr', '/usr'],
    ...layout.top.map(({ path, link }) => (link === null ? ['--ro-bind', path, path] : ['--symlink', link, path])),
    // For a caller who is root, files below /proc/sys are writable whatever the capabilities.
    ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...layout.kernelFiles.map((path) => ['--ro-bind', '/dev/null', path]),
    ['--dev', '/dev', '--size', String(SHM_BYTES), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ['--size', String(TMP_BYTES), '--tmpfs', INSIDE.tmp, '--symlink', '../tmp', '/var/tmp'],
  ]
}

function runMounts(request: BubblewrapRequest): readonly Option[] {
  const { root, readOnly, realExecutable, gatewaySocket } = request
  return [
    ['--bind', join(root, 'home'), INSIDE.home],
    ['--bind', join(root, 'config'), INSIDE.config],
    ['--bind', join(root, 'hooks'), INSIDE.hooks],
    ['--ro-bind', join(root, 'package'), INSIDE.package],
    ['--ro-bind', process.execPath, INSIDE.node],
    ['--ro-bind', realExecutable, insideExecutable(realExecutable)],
    ...readOnly.map(({ from, to }) => ['--ro-bind', from, to]),
    ['--ro-bind', gatewaySocket, INSIDE.gatewaySocket],
  ]
}

function workspaceMounts({ root, writablePaths }: BubblewrapRequest): readonly Option[] {
  const workspace = join(root, 'workspace')
  if (writablePaths === null) return [['--bind', workspace, INSIDE.workspace]]

  return [
    ['--ro-bind', workspace, INSIDE.workspace],
    ...writablePaths.map((path) => ['--bind', join(workspace, path), posix.join(INSIDE.workspace, path)]),
  ]
}

// Above the mounts of the folders that they lie in.
function protectedMounts(request: BubblewrapRequest): readonly Option[] {
  const { folders, files } = protectedPaths(request)
  const mount = (option: string, path: string): Option => [option, join(request.root, path), insidePath(path)]
  return [...folders.map((path) => mount('--bind', path)), ...files.map((path) => mount('--ro-bind', path))]
}

function insidePath(path: string): string {
  const [top = '', ...rest] = path.split('/')
  const folder = MOUNTED[top]
  if (folder === undefined) throw new RangeError(`${path} is in no folder that sessions can read`)
  return posix.join(folder, ...rest)
}

const MOUNTED: Readonly<Record<string, string>> = {
  workspace: INSIDE.workspace,
  home: INSIDE.home,
  config: INSIDE.config,
  hooks: INSIDE.hooks,
}

const SHM_BYTES = 64 * 1024 * 1024
const TMP_BYTES = 512 * 1024 * 1024

/**
 * Shell script that opens the gateway's socket on a TCP port inside and then becomes the command it is given.
 *
 * It waits for the port, because an engine that finds it closed may give up or wait for seconds.
 */
function bridgeScript(hasSocat: boolean): string {
  return `${hasSocat ? SOCAT : NODE} </dev/null >/dev/null 2>&1 &
tries=0
until grep -q '0100007F:${PORT_AS_HEX} 00000000:0000 0A' /proc/net/tcp; do
  tries=$((tries + 1))
  if [ "$tries" -gt 1000 ]; then echo 'agent-evals: the bridge to the gateway did not start' >&2; exit 97; fi
  sleep 0.01
done
exec "$@"`
}

const PORT_AS_HEX = INSIDE.bridgePort.toString(16).toUpperCase().padStart(4, '0')

const SOCAT = `socat TCP4-LISTEN:${INSIDE.bridgePort},bind=127.0.0.1,reuseaddr,fork,max-children=64 UNIX-CONNECT:${INSIDE.gatewaySocket}`

const NODE_SCRIPT = `
const net = require("node:net")
net.createServer({ allowHalfOpen: true }, (from) => {
  const to = net.connect({ path: "${INSIDE.gatewaySocket}", allowHalfOpen: true })
  from.on("error", () => to.destroy()).on("close", () => to.destroy())
  to.on("error", () => from.destroy()).on("close", () => from.destroy())
  from.pipe(to).pipe(from)
}).listen(${INSIDE.bridgePort}, "127.0.0.1")`

const NODE = `${INSIDE.node} -e '${NODE_SCRIPT}'`

/** A bubblewrap that works on this machine. */
export interface Bubblewrap {
  /** Absolute path of `bwrap`. */
  readonly program: string
  /** Whether it can forbid further user namespaces (from 0.8.0 on). */
  readonly disableUserns: boolean
  /** Whether `prlimit` can bound processes and file sizes inside. */
  readonly limits: boolean
}

/** Runs a trivial program under exactly the options that a session gets: only that tells whether they work here. */
export async function probeBubblewrap(environment: Environment): Promise<FailedProbe | WorkingBackend<Bubblewrap>> {
  if (process.platform !== 'linux') return missing('bubblewrap is for Linux')

  const program = findBubblewrap(environment)
  if (program === null) return missing('bubblewrap not found')

  // Where the whole of it fails, the plainest tells whether anything works, and what is really in the way.
  const whole = { program, disableUserns: true, limits: hasPrlimit() }
  const plainest = { program, disableUserns: false, limits: false }
  const failed = await tryOnce(whole)
  if (failed === null) return working(whole)
  const refused = failed.exhausted ? failed : await tryOnce(plainest)
  if (refused !== null) return { works: false, found: true, ...refused }

  for (const less of [{ limits: false }, { disableUserns: false }]) {
    const bubblewrap = { ...whole, ...less }
    if ((await tryOnce(bubblewrap)) === null) return working(bubblewrap)
  }

  return working(plainest)
}

function working(found: Bubblewrap): WorkingBackend<Bubblewrap> {
  return { works: true, enforced: 'bubblewrap', found }
}

// A `bwrap` that a package brings, in node_modules or a relative folder, would be no sandbox at all.
function findBubblewrap(environment: Environment): string | null {
  return (
    trustedFolders(environment)
      .map((folder) => join(folder, 'bwrap'))
      .find(isExecutable) ?? null
  )
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function tryOnce(bubblewrap: Bubblewrap): Promise<Failure | null> {
  return tryOut('bwrap', PROBE_MS, (root) => {
    writeFileSync(join(root, 'socket'), '')
    const request = prepareSession({
      executable: '/usr/bin/true',
      arguments: [],
      env: {},
      root,
      readOnly: [],
      writablePaths: ['output'],
      network: false,
      gatewaySocket: join(root, 'socket'),
      gatewayPort: 0,
      bridge: false,
      decoyEtc: true,
    })
    return bubblewrapCommand(bubblewrap, request, { layout: readHostLayout() })
  })
}

const PROBE_MS = 10_000
