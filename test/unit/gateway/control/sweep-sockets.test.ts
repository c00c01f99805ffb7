import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { startGateway } from '../../../../src/gateway/gateway.ts'
import { readAddress } from '../../../../src/gateway/control/client.ts'
import { sweepSockets } from '../../../../src/gateway/control/sockets.ts'

const LISTEN = `
const { createServer } = require('node:net')
createServer().listen(process.argv[1], () => process.stdout.write('listening'))
`

test('S6: removes the sockets of a process that was killed, and no others', async () => {
  await using folder = await createFixture()
  const place = (name: string): string => join(folder.path, name)
  for (const name of ['aev-killed', 'aev-foreign', 'aev-newone', 'other-killed']) mkdirSync(place(name))
  for (const name of ['aev-killed', 'aev-foreign', 'other-killed']) {
    const listener = spawn(process.execPath, ['-e', LISTEN, place(`${name}/c.sock`)])
    await once(listener.stdout, 'data')
    listener.kill('SIGKILL')
    await once(listener, 'exit')
  }
  writeFileSync(place('aev-foreign/notes.txt'), '')
  writeFileSync(place('aev-file01'), '')

  expect(await sweepSockets([folder.path, place('absent')])).toEqual([place('aev-killed')])
  expect(existsSync(place('aev-killed'))).toBe(false)
  expect(await sweepSockets([folder.path])).toEqual([])
})

test('leaves the sockets of a gateway that runs', async () => {
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 10, environment: {} })
  try {
    await sweepSockets()
    expect(existsSync(readAddress(gateway.controlSocket).socket)).toBe(true)
  } finally {
    await gateway.close()
  }
})
