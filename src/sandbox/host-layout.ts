import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'

/** What of the host the builder of the command line must know. */
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
