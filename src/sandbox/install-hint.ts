import { SANDBOX_RUNTIME } from './sandbox-runtime/find.ts'
import type { EnforcingBackend } from './sandbox.ts'

/** What is known of a machine on which a sandbox does not work. */
export interface Machine {
  readonly platform: NodeJS.Platform
  /** Text of `/etc/os-release`; `null` when there is none. */
  readonly osRelease: string | null
  /** Whether the kernel lets only programs with an AppArmor profile make user namespaces. */
  readonly apparmorRestricts: boolean
  /** Whether user namespaces are switched off altogether. */
  readonly namespacesOff: boolean
}

/** What to do so that the sandbox works, in one or two sentences. */
export function installHint(machine: Machine, backend: EnforcingBackend, found: boolean, remedy?: string): string {
  const first = remedy ?? (backend === 'bubblewrap' ? bubblewrapRemedy : runtimeRemedy)(machine, found)
  return `${first} ${WITHOUT_SANDBOX}`
}

/** How to run without a sandbox, in every way that there is. */
const WITHOUT_SANDBOX =
  "To run without a sandbox, where the agent can do what you can: the plugin's option `sandbox: 'none'`, the flag `--sandbox none` of `npx vitest-agent-evals run`, or the environment variable `AGENT_EVALS_SANDBOX=none`."

function runtimeRemedy({ platform }: Machine, found: boolean): string {
  if (platform === 'win32') return 'On Windows, run this in WSL2 and install bubblewrap there.'
  const install = `\`npm install --save-dev ${SANDBOX_RUNTIME}\``
  const remedy = found ? `Fix that, or update it: ${install}.` : `Install it: ${install}.`
  return platform === 'linux' ? `${remedy} Or use \`--sandbox bubblewrap\`, which closes more.` : remedy
}

function bubblewrapRemedy({ platform, osRelease, apparmorRestricts, namespacesOff }: Machine, found: boolean): string {
  if (platform === 'darwin') return 'On macOS leave the option out, or name `sandbox-runtime`.'
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
