import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sandboxPaths } from '../../../src/sandbox/decide.ts'
import { openSession } from '../../support/sandbox-session.ts'
import type { SandboxDecision } from '../../../src/sandbox/sandbox.ts'

const decision: SandboxDecision = { backend: 'none', asked: 'none', enforced: 'none', notice: null }
const host = { environment: { PATH: '/usr/bin:/bin', SECRET_KEY: 'stays out', SYSTEMROOT: undefined } }

test('runs in the workspace with an environment of its own', async () => {
  await using session = await openSession(decision)
  const { stdoutTail } = await session.shell('env | grep -v ^_= | sort', { env: { MINE: 'yes' } }, {}, host)

  expect(
    stdoutTail
      .replace(/[0-9a-f]{16}$/m, '<hash>')
      .replaceAll(session.root, '<root>')
      .replace(/^PATH=.*\/bin:/m, 'PATH=<node>:'),
  ).toMatchInlineSnapshot(`
    "AGENT_EVALS_RUN=<hash>
    HOME=<root>/home
    LANG=C.UTF-8
    LOGNAME=agent
    MINE=yes
    PATH=<node>:/bin
    PWD=<root>/workspace
    SHELL=/bin/bash
    TERM=dumb
    TMPDIR=<root>/tmp
    USER=agent
    "
  `)
})

test('kills a daemon that left the process group', async () => {
  await using session = await openSession(decision)
  const beats = session.workspace('beats')
  const script = `setsid sh -c 'while :; do echo beat >> ${beats}; sleep 0.02; done' >/dev/null 2>&1 &
    until [ -s beats ]; do sleep 0.02; done`
  const result = await session.shell(script, {}, {}, host)
  const before = readFileSync(session.workspace('beats')).length
  await sleep(100)

  expect(readFileSync(session.workspace('beats')).length).toBe(before)
  expect(result).toMatchObject({ exitCode: 0, setupError: null })
})

test('the writable folders exist before the session starts, as in a sandbox that enforces them', async () => {
  await using session = await openSession(decision)
  const { stdoutTail } = await session.shell('cp /etc/hostname output/deep/ && ls -d output/deep src', {
    writablePaths: ['src/', './output/deep/**'],
  })
  expect(stdoutTail).toBe('output/deep\nsrc\n')
})

test('names the paths of the host', async () => {
  await using session = await openSession(decision)
  const paths = sandboxPaths(decision, { ...session.request, shim: '/dist/shim.js' })

  expect(paths).toEqual({
    workspace: `${session.root}/workspace`,
    home: `${session.root}/home`,
    config: `${session.root}/config`,
    tmp: `${session.root}/tmp`,
    hooks: `${session.root}/hooks`,
    package: `${session.root}/package`,
    node: process.execPath,
    shim: '/dist/shim.js',
    executable: '/bin/sh',
    gatewaySocket: session.request.gatewaySocket,
    gatewayUrl: `http://127.0.0.1:${session.request.gatewayPort}`,
  })
})
