import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createProcessLimit } from '../../../src/sandbox/process-limit.ts'

test('makes a group of so many processes for root only, and only where processes are counted', async () => {
  await using counting = await createFixture({ 'cgroup.procs': '' })
  await using other = await createFixture({ 'cgroup.procs': '', 'cgroup.controllers': 'cpu memory\n' })
  expect(createProcessLimit(7, false, [counting.path])).toBeNull()
  expect(createProcessLimit(7, true, [other.path, '/nowhere'])).toBeNull()
  const folder = createProcessLimit(7, true, [other.path, counting.path])
  expect(await readFile(join(folder!, 'pids.max'), 'utf8')).toBe('7')
})

test('asks the one tree of groups to hand processes on', async () => {
  await using tree = await createFixture({ 'cgroup.procs': '', 'cgroup.controllers': 'cpu pids\n' })
  expect(createProcessLimit(7, true, [tree.path])).not.toBeNull()
  expect(await readFile(tree.getPath('cgroup.subtree_control'), 'utf8')).toBe('+pids')
})

test('removes the groups of runs that were killed, and of no other', async () => {
  const { pid } = spawnSync('true')
  const alive = `agent-evals-${process.pid}-one`
  await using tree = await createFixture({ 'cgroup.procs': '' })
  for (const name of [alive, `agent-evals-${pid}-one`, 'somebody-else']) await tree.mkdir(name)
  const folder = createProcessLimit(7, true, [tree.path])
  expect((await readdir(tree.path)).toSorted()).toEqual(
    ['cgroup.procs', alive, folder!.split('/').at(-1)!, 'somebody-else'].toSorted(),
  )
})
