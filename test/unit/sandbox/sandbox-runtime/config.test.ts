import { expect, test } from 'vitest'
import { sandboxRuntimeConfig } from '../../../../src/sandbox/sandbox-runtime/config.ts'
import type { RuntimeRequest } from '../../../../src/sandbox/sandbox-runtime/config.ts'

const REQUEST: RuntimeRequest = {
  executable: '/project/node_modules/.bin/claude',
  realExecutable: '/project/claude',
  ownPaths: ['/project/sandbox-runtime', '/run/launch'],
  arguments: [],
  env: {},
  root: '/run',
  readOnly: [{ from: '/project/shim.js', to: '/opt/shim.js' }],
  writablePaths: ['output', 'src/generated'],
  network: false,
  gatewaySocket: '/gateway.sock',
  gatewayPort: 4100,
  bridge: true,
  decoyEtc: true,
}
const LAYOUT = { top: [{ path: '/bin', link: 'usr/bin' }], etc: [] }
const configOf = (change: Partial<RuntimeRequest>, platform: NodeJS.Platform) => {
  const { filesystem, ...rest } = sandboxRuntimeConfig({ ...REQUEST, ...change }, LAYOUT, platform)
  // What of /etc there is depends on the machine.
  const allowRead = filesystem.allowRead.filter((path) => !path.startsWith('/etc/'))
  return { ...rest, filesystem: { ...filesystem, allowRead: allowRead.map(withoutNode) } }
}
const withoutNode = (path: string): string => (path === process.execPath ? '<node>' : path)

test('on Linux hides everything that is not named, and names what is writable once more', () => {
  expect(configOf({}, 'linux')).toMatchInlineSnapshot(`
    {
      "filesystem": {
        "allowRead": [
          "/bin",
          "/usr",
          "/project/sandbox-runtime",
          "/run/launch",
          "/run/package",
          "/run/workspace",
          "<node>",
          "/project/claude",
          "/project/shim.js",
          "/run/home",
          "/run/config",
          "/run/tmp",
          "/run/hooks",
          "/run/workspace/output",
          "/run/workspace/src/generated",
        ],
        "allowWrite": [
          "/run/home",
          "/run/config",
          "/run/tmp",
          "/run/hooks",
          "/run/workspace/output",
          "/run/workspace/src/generated",
        ],
        "denyRead": [
          "/",
          "/tmp/claude/*",
          "/run/workspace/output",
          "/run/workspace/src/generated",
        ],
        "denyWrite": [
          "/tmp/claude",
          "/private/tmp/claude",
        ],
      },
      "network": {
        "allowedDomains": [],
        "deniedDomains": [],
        "httpProxyPort": 4100,
        "socksProxyPort": 4100,
      },
      "ripgrep": {
        "command": "true",
      },
    }
  `)
})

test('on macOS hides where people keep their own, since nothing starts without the rest', () => {
  expect(configOf({}, 'darwin').filesystem).toMatchInlineSnapshot(`
    {
      "allowRead": [
        "/project/sandbox-runtime",
        "/run/launch",
        "/run/package",
        "/run/workspace",
        "<node>",
        "/project/claude",
        "/project/shim.js",
        "/run/home",
        "/run/config",
        "/run/tmp",
        "/run/hooks",
        "/run/workspace/output",
        "/run/workspace/src/generated",
      ],
      "allowWrite": [
        "/run/home",
        "/run/config",
        "/run/tmp",
        "/run/hooks",
        "/run/workspace/output",
        "/run/workspace/src/generated",
      ],
      "denyRead": [
        "/Users",
        "/Volumes",
        "/private/tmp",
        "/private/var/folders",
        "/private/var/tmp",
        "/private/var/root",
      ],
      "denyWrite": [
        "/tmp/claude",
        "/private/tmp/claude",
      ],
    }
  `)
})

test('lets all of the workspace be written where nothing says otherwise', () => {
  expect(configOf({ writablePaths: null }, 'linux').filesystem).toMatchObject({
    denyRead: ['/', '/tmp/claude/*'],
    allowWrite: ['/run/home', '/run/config', '/run/tmp', '/run/hooks', '/run/workspace'],
  })
})

test.for(['linux', 'darwin'] as const)('restricts no address on %s where the network is open', (platform) => {
  expect(configOf({ network: true }, platform).network).toEqual({
    deniedDomains: [],
    httpProxyPort: 4100,
    socksProxyPort: 4100,
  })
})
