import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { startScript } from '../../../../src/sandbox/sandbox-runtime/command.ts'
import type { RuntimeRequest } from '../../../../src/sandbox/sandbox-runtime/config.ts'

const ODD = `it's "$HOME" \`id\` \\ !x *\nsecond line`

function requestFor(root: string, change: Partial<RuntimeRequest> = {}): RuntimeRequest {
  return {
    executable: process.execPath,
    realExecutable: process.execPath,
    ownPaths: [],
    arguments: ['-p', 'JSON.stringify([process.argv.slice(1), process.cwd(), process.env.ODD])', ODD],
    env: { ODD },
    root,
    readOnly: [],
    writablePaths: null,
    network: false,
    gatewaySocket: '',
    gatewayPort: 0,
    bridge: false,
    decoyEtc: false,
    ...change,
  }
}

test('starts the engine in the workspace with arguments and variables as they are, and says so', async () => {
  await using files = await createFixture({ "a 'run'/workspace": {}, status: '' })
  const root = await realpath(files.getPath("a 'run'"))
  const status = openSync(files.getPath('status'), 'w')
  const script = startScript(requestFor(root), [])
  const printed = execFileSync('/usr/bin/env', ['-i', '/bin/sh', '-c', script], {
    stdio: ['ignore', 'pipe', 2, status],
  })
  closeSync(status)

  expect(JSON.parse(printed.toString())).toEqual([[ODD], `${root}/workspace`, ODD])
  expect(await files.readFile('status', 'utf8')).toBe('{"started":true}\n')
})

test('makes a link only where nothing is', async () => {
  await using files = await createFixture({ 'run/workspace': {}, target: 'the target', there: 'it was there' })
  const links = ['there', 'absent'].map((name) => ({ at: files.getPath(name), to: files.getPath('target') }))
  const script = startScript(requestFor(files.getPath('run'), { arguments: ['-e', ''] }), links)
  execFileSync('/bin/sh', ['-c', script], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] })

  expect(await files.readFile('there', 'utf8')).toBe('it was there')
  expect(await files.readFile('absent', 'utf8')).toBe('the target')
})

test('refuses a null byte, which would end the script', () => {
  expect(() => startScript(requestFor('/run', { env: { A: 'b\0c' } }), [])).toThrow('contains a null byte: "b\\u0000c"')
})
