import { expect, test } from 'vitest'
import { sandboxPaths } from '../../../../src/sandbox/decide.ts'

const PLACE = {
  root: '/run',
  executable: process.execPath,
  gatewaySocket: '/run/gateway.sock',
  gatewayPort: 5000,
  bridge: false,
  shim: '/project/shim.js',
}

test.for([
  ['linux', false, 'http://127.0.0.1:3128'],
  ['linux', true, 'http://127.0.0.1:5000'],
  ['darwin', false, 'http://127.0.0.1:5000'],
  ['darwin', true, 'http://127.0.0.1:5000'],
] as const)('on %s, network open: %s, files keep their places and the gateway is at %s', ([platform, network, url]) => {
  expect(sandboxPaths({ backend: 'sandbox-runtime' }, { ...PLACE, network }, platform)).toEqual({
    workspace: '/run/workspace',
    home: '/run/home',
    config: '/run/config',
    tmp: '/run/tmp',
    hooks: '/run/hooks',
    package: '/run/package',
    node: process.execPath,
    shim: '/project/shim.js',
    executable: process.execPath,
    // It allows no sockets.
    gatewaySocket: null,
    gatewayUrl: url,
  })
})
