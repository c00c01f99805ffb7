import { existsSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { runInForeground } from '../../../../src/sandbox/process/launch.ts'

const TAKES_LEAVE = `
process.on('SIGTERM', () => setTimeout(() => process.exit(7), 50))
require('node:fs').writeFileSync(process.argv[1], '')
setInterval(() => {}, 1000)
`

test('a program in the foreground is told to end as we are, and has the last word', async () => {
  await using folder = await createFixture()
  const started = folder.getPath('started')
  const before = new Set(process.listeners('SIGTERM'))
  const added = (): readonly NodeJS.SignalsListener[] => process.listeners('SIGTERM').filter((one) => !before.has(one))
  const ended = runInForeground(process.execPath, ['-e', TAKES_LEAVE, started], process.env)
  await expect.poll(() => existsSync(started)).toBe(true)
  for (const tell of added()) tell('SIGTERM')
  expect(await ended).toBe(7)
  expect(added()).toEqual([])
  expect(await runInForeground(folder.getPath('missing'), [], {})).toBe(null)
})
