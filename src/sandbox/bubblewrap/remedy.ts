import type { Machine } from '../backend.ts'

/** What to do so that bubblewrap works. */
export function bubblewrapRemedy(
  { platform, osRelease, apparmorRestricts, namespacesOff }: Machine,
  found: boolean,
): string {
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
  const known = ids.find((id) => Object.hasOwn(INSTALL, id))
  return known === undefined ? 'the package `bubblewrap` of your distribution' : `\`${INSTALL[known]}\``
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
