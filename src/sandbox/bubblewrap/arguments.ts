import { join, posix } from 'node:path'
import { bridgeScript } from './bridge.ts'
import { etcMounts } from '../etc.ts'
import { INSIDE, insideExecutable } from '../inside.ts'
import { protectedPaths } from '../protected-files.ts'
import { PRLIMIT } from '../resource-limits.ts'
import type { HostLayout } from '../host-layout.ts'
import type { SandboxRequest } from '../sandbox.ts'
import type { Bubblewrap } from './probe.ts'

/** A request whose paths have been resolved and made. */
export interface BubblewrapRequest extends SandboxRequest {
  /** Real path of the executable. */
  readonly realExecutable: string
}

/** All arguments of `bwrap` but for the command. Pure: what exists on the host is in `layout`. */
export function bubblewrapArguments(
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
export function insideCommand(
  request: BubblewrapRequest,
  layout: HostLayout,
  { limits }: Bubblewrap,
): readonly string[] {
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

/** Folders of a session that are in memory and have a limited size. */
export const SIZED_FOLDERS: readonly string[] = [INSIDE.tmp, '/dev/shm']
const SHM_BYTES = 64 * 1024 * 1024
const TMP_BYTES = 512 * 1024 * 1024
