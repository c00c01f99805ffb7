import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, rmdirSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { compileAlone } from '../../support/compile-shim.ts'
import {
  createControlGroup,
  delegatedRoots,
  readExceededMemory,
  removeControlGroup,
} from '../../../src/sandbox/control-group.ts'

const LIMITS = { processes: 7, memory: 1000 }

test('makes a group only where a resource is controlled', async () => {
  await using other = await createFixture({ 'cgroup.procs': '', 'cgroup.controllers': 'cpu io\n' })
  await using pids = await createFixture({ 'cgroup.procs': '' })
  expect(createControlGroup(LIMITS, true, [other.path, '/nowhere'])).toBeNull()
  const group = createControlGroup(LIMITS, true, [other.path, pids.path])
  expect(group).toMatchObject({ folders: [expect.any(String)], memory: null })
  expect(await readFile(join(group!.folders[0]!, 'pids.max'), 'utf8')).toBe('7')
})

test('has a tree for each resource in the first version', async () => {
  await using pids = await createFixture({ 'cgroup.procs': '' })
  await using memory = await createFixture({ 'cgroup.procs': '', 'memory.limit_in_bytes': '' })
  const group = createControlGroup(LIMITS, true, [pids.path, memory.path])
  expect(group?.folders.map((folder) => join(folder, '..'))).toEqual(
    [join(pids.path), join(memory.path)].map(withoutEnd),
  )
  expect(await readFile(join(group!.memory!, 'memory.limit_in_bytes'), 'utf8')).toBe('1000')
})

test('has one group for both in the second version, and asks its parent to hand them on', async () => {
  await using tree = await createFixture({ 'cgroup.procs': '', 'cgroup.controllers': 'cpu memory pids\n' })
  const group = createControlGroup(LIMITS, true, [tree.path])
  expect(group?.folders).toEqual([group?.memory])
  expect(await readFile(tree.getPath('cgroup.subtree_control'), 'utf8')).toBe('+memory')
  expect(await readFile(join(group!.memory!, 'memory.max'), 'utf8')).toBe('1000')
  expect(await readFile(join(group!.memory!, 'pids.max'), 'utf8')).toBe('7')
})

test('in the second version a group is made beside that of this process, whose group has processes and limits nothing', async () => {
  const user = process.getuid?.() ?? 0
  const group = { 'cgroup.procs': '', 'cgroup.controllers': 'memory pids\n' }
  // A group with processes refuses to hand resources on, as this folder refuses to be written.
  const own = { ...group, 'cgroup.subtree_control': {} }
  await using tree = await createFixture({ 'user.slice': { ...group, 'app.scope': own } })
  const roots = delegatedRoots(user, '0::/user.slice/app.scope\n', tree.path)
  expect(roots).toEqual([tree.getPath('user.slice'), tree.getPath('user.slice/app.scope')])
  const made = createControlGroup(LIMITS, false, roots)
  expect(made?.folders).toEqual([made?.memory])
  expect(join(made!.memory!, '..')).toBe(tree.getPath('user.slice'))
  expect(await readFile(join(made!.memory!, 'memory.max'), 'utf8')).toBe('1000')

  // What was not handed on to this user, or has no group above it, is left alone.
  expect(delegatedRoots(user + 1, '0::/user.slice/app.scope\n', tree.path)).toEqual([])
  await rm(tree.getPath('user.slice/cgroup.procs'))
  const left = delegatedRoots(user, '0::/user.slice/app.scope\n', tree.path)
  expect(left).toEqual([tree.getPath('user.slice/app.scope')])
  expect(createControlGroup(LIMITS, false, left)).toBeNull()
})

test('reads whether the kernel ended a process for its memory, in both versions', async () => {
  await using tree = await createFixture({ 'cgroup.procs': '', 'cgroup.controllers': 'memory\n' })
  const group = createControlGroup(LIMITS, true, [tree.path])!
  const write = (name: string, text: string): Promise<void> => writeFile(join(group.memory!, name), text)
  expect(readExceededMemory(group)).toBeNull()
  await write('memory.events', 'max 3\noom 0\noom_kill 0\noom_group_kill 0\n')
  await write('memory.peak', '999\n')
  expect(readExceededMemory(group)).toBeNull()
  await write('memory.events', 'max 9\noom 1\noom_kill 1\noom_group_kill 0\n')
  expect(readExceededMemory(group)).toBe(999)
  for (const name of ['memory.events', 'memory.peak']) await rm(join(group.memory!, name))
  await write('memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n')
  await write('memory.max_usage_in_bytes', '1000\n')
  expect(readExceededMemory(group)).toBe(1000)
})

test('removes the groups of runs that were killed, and no other', async () => {
  const { pid } = spawnSync('true')
  const alive = `agent-evals-${process.pid}-one`
  await using tree = await createFixture({ 'cgroup.procs': '' })
  for (const name of [alive, `agent-evals-${pid}-one`, 'of-another-program']) await tree.mkdir(name)
  const group = createControlGroup(LIMITS, true, [tree.path])
  const name = basename(group!.folders[0]!)
  expect((await readdir(tree.path)).toSorted()).toEqual(['cgroup.procs', alive, name, 'of-another-program'].toSorted())
  await rm(join(group!.folders[0]!, 'pids.max'))
  removeControlGroup(group!)
  expect(await readdir(tree.path)).not.toContain(name)
})

const TREES = ['memory', 'pids'].map((tree) => `/sys/fs/cgroup/${tree}/agent-evals-test-${process.pid}`)
const mayDelegate = process.getuid?.() === 0 && TREES.every((tree) => isWritable(join(tree, '..')))

test.skipIf(!mayDelegate)('another user than root has groups where a part of the tree was handed on', async () => {
  await using fixture = await createFixture({ 'package.json': '{ "type": "module" }', 'run.js': AS_ANOTHER_USER })
  compileAlone(fixture.path, 'sandbox/control-group.ts')
  execFileSync('chmod', ['-R', 'a+rX', fixture.path])
  const run = (script: string): string =>
    execFileSync(
      'sh',
      ['-c', `${script}\nexec setpriv --reuid=65534 --regid=65534 --clear-groups ${process.execPath} run.js`],
      {
        cwd: fixture.path,
        encoding: 'utf8',
      },
    )
  expect(run('')).toBe('null\n')
  const enter = TREES.map((tree) => `mkdir ${tree}; chown -R 65534:65534 ${tree}; echo $$ > ${tree}/cgroup.procs`)
  try {
    const [folders, peak, left] = JSON.parse(run(enter.join('\n'))) as [readonly string[], number, boolean]
    expect(folders.map((folder) => join(folder, '..')).toSorted()).toEqual(TREES.toSorted())
    expect(peak).toBeGreaterThan(60_000_000)
    expect(left).toBe(false)
  } finally {
    for (const tree of TREES) rmdirSync(tree)
  }
})

const AS_ANOTHER_USER = `
import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, rmdirSync } from 'node:fs'
import { existsSync } from 'node:fs'
import { createControlGroup, enterControlGroup, readExceededMemory, removeControlGroup } from './sandbox/control-group.js'
const group = createControlGroup({ processes: 50, memory: 67108864 })
if (group === null) console.log('null')
else {
  const { file, before } = enterControlGroup(group, '/bin/sh')
  // Not every folder of a PATH is open to this user.
  spawnSync(file, [...before, '-c', 'head -c 300000000 /dev/zero | tail -n 1'], { env: { PATH: '/usr/bin:/bin' } })
  const exceeded = readExceededMemory(group)
  removeControlGroup(group)
  console.log(JSON.stringify([group.folders, exceeded, group.folders.some((folder) => existsSync(folder))]))
}
`

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function withoutEnd(path: string): string {
  return path.replace(/\/$/, '')
}
