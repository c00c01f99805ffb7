import { expect, test } from 'vitest'
import { installHint } from '../../../src/sandbox/decide.ts'
import type { Machine } from '../../../src/sandbox/backend.ts'

const WITHOUT =
  "To run without a sandbox, with your own rights: the plugin's option `sandbox: 'none'`, the flag `--sandbox none` of `npx vitest-agent-evals run`, or the environment variable `AGENT_EVALS_SANDBOX=none`."
const MACHINE: Machine = { platform: 'linux', osRelease: null, apparmorRestricts: false, namespacesOff: false }

test.for([
  ['ID=ubuntu\nID_LIKE=debian\n', 'Install it: `sudo apt-get install bubblewrap`.'],
  ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', 'Install it: `sudo apt-get install bubblewrap`.'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'Install it: `sudo dnf install bubblewrap`.'],
  ['ID=arch\n', 'Install it: `sudo pacman -S bubblewrap`.'],
  ['ID=constructor\n', 'Install it: the package `bubblewrap` of your distribution.'],
  [null, 'Install it: the package `bubblewrap` of your distribution.'],
])('names the command of the distribution %j', ([osRelease, expected]) => {
  expect(installHint({ ...MACHINE, osRelease: osRelease ?? null }, 'bubblewrap', false)).toBe(`${expected} ${WITHOUT}`)
})

test.for([
  [{ apparmorRestricts: true }, 'bwrap-userns-restrict'],
  [{ namespacesOff: true }, 'kernel.unprivileged_userns_clone=1'],
  [{}, 'does not allow user namespaces'],
  [{ platform: 'darwin' }, 'use `sandbox-runtime`'],
  [{ platform: 'win32' }, 'WSL2'],
  [{ platform: 'freebsd' }, 'no sandbox for freebsd'],
] as const)('says what is in the way: %j', ([change, expected]) => {
  expect(installHint({ ...MACHINE, ...change }, 'bubblewrap', true)).toContain(expected)
})

test.for([
  ['darwin', false, 'Install it: `npm install --save-dev @anthropic-ai/sandbox-runtime`.'],
  ['darwin', true, 'Fix that, or update it: `npm install --save-dev @anthropic-ai/sandbox-runtime`.'],
  [
    'linux',
    false,
    'Install it: `npm install --save-dev @anthropic-ai/sandbox-runtime`. Or use `--sandbox bubblewrap`, which is stricter.',
  ],
  ['win32', false, 'On Windows, run this in WSL2 and install bubblewrap there.'],
] as const)('says how to get sandbox-runtime on %s, found: %s', ([platform, found, expected]) => {
  expect(installHint({ ...MACHINE, platform }, 'sandbox-runtime', found)).toBe(`${expected} ${WITHOUT}`)
})
