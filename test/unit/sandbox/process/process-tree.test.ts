import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '../../../../src/sandbox/process/process-tree.ts'

test.skipIf(process.platform !== 'linux')('a process that was killed and is not yet missed is not alive', async () => {
  // A shell that becomes another program misses none of its children.
  const parent = spawn('/bin/sh', ['-c', 'sleep 100 & echo $!; exec sleep 100'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(line)
  expect(isAlive(pid)).toBe(true)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(' Z ')
  expect(isAlive(pid)).toBe(false)
})
