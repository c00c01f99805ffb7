import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runProcess } from '../../../../src/sandbox/process/run-process.ts'
import {
  findMembers,
  listSessionProcesses,
  type ListedProcess,
} from '../../../../src/sandbox/process/session-processes.ts'

const listed = (pid: number, parent: number, group: number): ListedProcess => ({ pid, parent, group, resident: null })

test('a session has the processes below its first one and those of its group, and no other', () => {
  const processes = [
    listed(1, 0, 1),
    listed(7, 1, 7),
    listed(8, 7, 8),
    listed(9, 8, 8),
    listed(20, 1, 7),
    listed(30, 1, 30),
  ]
  expect(findMembers(processes, 7).map(({ pid }) => pid)).toEqual([7, 8, 9, 20])
  expect(findMembers([listed(4, 5, 4), listed(5, 4, 5)], 7)).toEqual([])
})

test.for(['linux', ...(existsSync('/bin/ps') ? ['darwin'] : [])] as const)(
  'finds a process and its parent as on %s',
  async (platform) => {
    let found: readonly ListedProcess[] = []
    const controller = new AbortController()
    await runProcess('/bin/sh', ['-c', 'sleep 30'], {
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      signal: controller.signal,
      graceMs: 0,
      onSpawn: (pid) =>
        void listSessionProcesses(platform as NodeJS.Platform).then((all) => {
          found = all.filter((one) => one.pid === pid)
          controller.abort()
        }),
    })
    expect(found).toMatchObject([{ parent: process.pid, group: found[0]?.pid }])
  },
)
