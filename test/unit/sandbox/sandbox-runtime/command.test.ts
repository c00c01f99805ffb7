import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { sandboxRuntimeCommand } from '../../../../src/sandbox/sandbox-runtime/command.ts'
import type { SandboxedCommand } from '../../../../src/sandbox/sandbox.ts'

const HOST = {
  environment: { PATH: '/project/node_modules/.bin:.:/usr/bin:/bin', SECRET_KEY: 'stays out' },
  layout: { top: [], etc: [], hasSocat: true, kernelFiles: [] },
}

function commandIn(root: string): SandboxedCommand {
  mkdirSync(root, { recursive: true })
  const request = {
    executable: process.execPath,
    arguments: ['-v'],
    env: { LD_PRELOAD: './evil.so', AGENT_EVALS_RUN: 'a-run' },
    root,
    readOnly: [],
    writablePaths: null,
    network: false,
    gatewaySocket: '',
    gatewayPort: 4100,
    bridge: true,
    decoyEtc: true,
  }
  return sandboxRuntimeCommand({ folder: '/srt', module: '/srt/index.js' }, request, HOST)
}

test('starts the launcher with nothing of the case, which only the script inside has', async () => {
  await using files = await createFixture()
  const root = `${realpathSync(files.path)}/run`
  const command = commandIn(root)

  expect({ ...command, arguments: [] }).toEqual({
    file: process.execPath,
    arguments: [],
    env: { PATH: '/usr/bin:/bin', HOME: `${root}/launch`, TMPDIR: `${root}/launch`, AGENT_EVALS_RUN: 'a-run' },
    cwd: `${root}/launch`,
    descriptors: [],
    status: true,
    tag: 'AGENT_EVALS_RUN=a-run',
    graceMs: 0,
  })
  const [launcher, session = ''] = command.arguments
  expect(launcher).toMatch(/\/dist\/sandbox\/sandbox-runtime\/launcher\.js$/)
  expect(JSON.parse(readFileSync(session, 'utf8'))).toMatchObject({
    parent: process.pid,
    module: '/srt/index.js',
    command: `exec /usr/bin/env -i /bin/sh '${root}/start.sh'`,
  })
  expect(readFileSync(session, 'utf8')).not.toContain('evil')
  const script = readFileSync(`${root}/start.sh`, 'utf8')
  expect(script).toContain("export LD_PRELOAD='./evil.so'\n")
  expect(script).not.toContain('stays out')
  expect([session, `${root}/start.sh`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
})
