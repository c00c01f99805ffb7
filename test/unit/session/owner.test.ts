import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { currentOwner, isGone } from '../../../src/session/remove-tree.ts'

test.skipIf(process.platform !== 'linux')('an owner that was killed and is not yet missed is gone', async () => {
  const parent = spawn('/bin/sh', ['-c', 'sleep 100 & echo $!; exec sleep 100'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const owner = { ...currentOwner(false), pid: Number(line), started: null }
  expect(isGone(owner)).toBe(false)
  process.kill(owner.pid, 'SIGKILL')
  await expect.poll(() => readFileSync(`/proc/${owner.pid}/stat`, 'utf8')).toContain(' Z ')
  expect(isGone(owner)).toBe(true)
})
