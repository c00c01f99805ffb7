import { realpathSync } from 'node:fs'
import type { Backend, Machine } from '../backend.ts'
import type { PathRequest } from '../sandbox.ts'
import { INSIDE, insideExecutable } from '../environment.ts'
import type { SandboxPaths } from '../sandbox.ts'
import { bubblewrapCommand, probeBubblewrap, type Bubblewrap } from './command.ts'

/** What to do so that bubblewrap works. */
function bubblewrapRemedy({ platform, osRelease, apparmorRestricts, namespacesOff }: Machine, found: boolean): string {
  if (platform === 'darwin') return 'On macOS remove the option, or use `sandbox-runtime`.'
  if (platform === 'win32') return 'On Windows, run this in WSL2 and install bubblewrap there.'
  if (platform !== 'linux') return `There is no sandbox for ${platform}.`
  if (!found) return `Install it: ${installCommand(osRelease)}.`
  if (apparmorRestricts) return APPARMOR
  if (namespacesOff)
    return 'Allow user namespaces: `sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000`.'

  return 'This machine or container does not allow user namespaces; in Docker, allow them with `--security-opt seccomp=unconfined`.'
}

function installCommand(osRelease: string | null): string {
  const ids = [...(osRelease ?? '').matchAll(/^(?:ID|ID_LIKE)=["']?([^"'\n]*)/gm)].flatMap(([, value]) =>
    (value ?? '').split(' '),
  )
  const distribution = ids.find((id) => Object.hasOwn(INSTALL, id))
  return distribution === undefined ? 'the package `bubblewrap` of your distribution' : `\`${INSTALL[distribution]}\``
}

const INSTALL: Readonly<Record<string, string>> = {
  debian: 'sudo apt-get install bubblewrap',
  ubuntu: 'sudo apt-get install bubblewrap',
  fedora: 'sudo dnf install bubblewrap',
  rhel: 'sudo dnf install bubblewrap',
  arch: 'sudo pacman -S bubblewrap',
  alpine: 'sudo apk add bubblewrap',
  suse: 'sudo zypper install bubblewrap',
  opensuse: 'sudo zypper install bubblewrap',
}

const APPARMOR =
  'AppArmor keeps bwrap from making user namespaces (Ubuntu 24.04). Load the profile for it: `sudo apt-get install apparmor-profiles && ' +
  'sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`; ' +
  'or, on a build machine: `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`.'

/** The sandbox of Linux: a session sees only its own folders, at fixed places. */
export const bubblewrap: Backend<Bubblewrap> = {
  hasFixedFolders: true,
  isUsual: (platform) => platform !== 'darwin',
  probeKey: ({ environment }) => environment['PATH'] ?? '',
  probe: ({ environment }) => probeBubblewrap(environment),
  command: bubblewrapCommand,
  // With the network of the host a bridge would take a port of the host.
  needsPort: ({ bridge, network }) => bridge && network,
  paths: bubblewrapPaths,
  remedy: bubblewrapRemedy,
}

function bubblewrapPaths(request: PathRequest): SandboxPaths {
  return {
    workspace: INSIDE.workspace,
    home: INSIDE.home,
    config: INSIDE.config,
    tmp: INSIDE.tmp,
    hooks: INSIDE.hooks,
    package: INSIDE.package,
    node: INSIDE.node,
    shim: INSIDE.shim,
    executable: insideExecutable(realpathSync(request.executable)),
    gatewaySocket: INSIDE.gatewaySocket,
    gatewayUrl: bubblewrapGatewayUrl(request),
  }
}

function bubblewrapGatewayUrl({ network, bridge, gatewayPort }: PathRequest): string {
  if (network) return `http://127.0.0.1:${gatewayPort}`
  if (bridge) return `http://127.0.0.1:${INSIDE.bridgePort}`

  // Only the socket leads out. A name that can never resolve shows at once when an engine ignores the socket.
  return 'http://gateway.invalid'
}
