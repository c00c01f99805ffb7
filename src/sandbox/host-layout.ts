import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PathRequest } from './sandbox.ts'
import type { SandboxPaths, SandboxRequest } from './sandbox.ts'

/** Facts of the host that the command of bubblewrap depends on. */
export interface HostLayout {
  /** Top folders with programs and libraries besides `/usr`; `link` is their target where they are links. */
  readonly top: readonly { readonly path: string; readonly link: string | null }[]
  /** Further names in `/etc` that installed programs read. */
  readonly etc: readonly string[]
  readonly hasSocat: boolean
  /** Files of the kernel that tell root about the host, where it has them. */
  readonly kernelFiles: readonly string[]
}

/** Looks at the host once per call; it is a dozen system calls. */
export function readHostLayout(): HostLayout {
  return {
    top: TOP_FOLDERS.flatMap(topFolder),
    etc: readdirSync('/etc').filter((name) => name.startsWith('java-')),
    hasSocat: existsSync('/usr/bin/socat'),
    kernelFiles: KERNEL_FILES.filter((path) => existsSync(path)),
  }
}

function topFolder(path: string): HostLayout['top'] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []

  return [{ path, link: found.isSymbolicLink() ? readlinkSync(path) : null }]
}

/** Folders at the root that hold programs and libraries, where a host has them. */
export const TOP_FOLDERS: readonly string[] = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/** A caller who is root can read these whatever the capabilities: timers, memory and keys of the whole machine. */
const KERNEL_FILES = ['/proc/keys', '/proc/slabinfo', '/proc/timer_list', '/proc/vmallocinfo']

/** Paths of a session that sees its files where the host has them. */
export function hostPaths({ root, executable, shim, bridge, gatewayPort, gatewaySocket }: PathRequest): SandboxPaths {
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

/** Mounts of `/etc`: who one is comes from us, certificates and program settings from the host, the rest is absent. */
export function etcMounts(
  { root, decoyEtc, network }: Pick<SandboxRequest, 'root' | 'decoyEtc' | 'network'>,
  layout: HostLayout,
): readonly string[] {
  const fromHost = [...PROGRAM_FILES, ...layout.etc, ...(network ? NETWORK_FILES : [])]
  const written = network ? IDENTITY_FILES : [...IDENTITY_FILES, HOSTS_FILE]
  return [
    ...(decoyEtc ? ['--size', String(DECOY_BYTES), '--tmpfs', '/etc'] : []),
    ...fromHost.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...written.flatMap(({ name }) => ['--ro-bind', join(root, 'etc', name), `/etc/${name}`]),
  ]
}

/** Parts of `/etc` of the host that a session sees where the rest is hidden. */
export function readableEtc({ etc }: Pick<HostLayout, 'etc'>, network: boolean): readonly string[] {
  const names = [...PROGRAM_FILES, ...etc, ...IDENTITY_FILES.map(({ name }) => name), 'hosts']
  const paths = [...names, ...(network ? NETWORK_FILES : [])].map((name) => `/etc/${name}`)
  return paths.filter((path) => existsSync(path))
}

/** Writes the files of `/etc` that are the same on every machine, so that `whoami` and `ls -l` are too. */
export function writeEtc(root: string): void {
  mkdirSync(join(root, 'etc'), { recursive: true })
  for (const { name, content } of [...IDENTITY_FILES, HOSTS_FILE]) writeFileSync(join(root, 'etc', name), content)
}

const IDENTITY_FILES = [
  {
    name: 'passwd',
    content:
      'root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000::/home/agent:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n',
  },
  { name: 'group', content: 'root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n' },
]

const HOSTS_FILE = { name: 'hosts', content: '127.0.0.1 localhost agent-evals\n::1 localhost\n' }

const PROGRAM_FILES = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ssl',
  'ca-certificates',
  'pki',
  'crypto-policies',
  'alternatives',
  'nsswitch.conf',
  'mime.types',
  'fonts',
]

const NETWORK_FILES = ['resolv.conf', 'hosts', 'host.conf', 'gai.conf', 'services', 'protocols']

const DECOY_BYTES = 16 * 1024 * 1024
