import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readdirSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createWorkspace, sweepWorkspaces } from '../../../src/session/workspace.ts'
import { currentOwner } from '../../../src/session/remove-tree.ts'

const OLD = new Date(Date.now() - 3 * 86_400_000)

async function sweepOf(
  make: (parent: string) => void,
): Promise<{ readonly left: string[]; readonly removed: string[] }> {
  await using fixture = await createFixture({})
  const parent = realpathSync(fixture.path)
  make(parent)
  const { removed, warnings } = await sweepWorkspaces({ parent })
  expect(warnings).toEqual([])
  return {
    left: readdirSync(parent).toSorted(),
    removed: removed.map((root) => root.slice(parent.length + 1)).toSorted(),
  }
}

function leave(parent: string, name: string, owner: object | string | null, age: Date | null = null): void {
  mkdirSync(`${parent}/${name}/workspace`, { recursive: true })
  if (owner !== null)
    writeFileSync(`${parent}/${name}/owner.json`, typeof owner === 'string' ? owner : JSON.stringify(owner))
  if (age !== null) utimesSync(`${parent}/${name}`, age, age)
}

function deadPid(): number {
  return Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }))
}

test('S6: removes what a killed run left, and what an earlier sweep could not remove', async () => {
  const owner = { ...currentOwner(false), pid: deadPid() }
  const swept = await sweepOf((parent) => {
    leave(parent, 'agent-evals-aaaaaa', owner)
    leave(parent, '.trash-agent-evals-bbbbbb', owner)
  })
  expect(swept).toEqual({ left: [], removed: ['.trash-agent-evals-bbbbbb', 'agent-evals-aaaaaa'] })
})

test.runIf(process.platform === 'linux')('S6: a pid that was given to another process is no owner', async () => {
  const swept = await sweepOf((parent) =>
    leave(parent, 'agent-evals-aaaaaa', { ...currentOwner(false), started: 'boot:1' }),
  )
  expect(swept.removed).toEqual(['agent-evals-aaaaaa'])
})

test('S6: leaves running and kept workspaces, and whatever is not a workspace', async () => {
  const dead = { ...currentOwner(false), pid: deadPid() }
  const swept = await sweepOf((parent) => {
    createWorkspace({ parents: [parent] })
    leave(parent, 'agent-evals-kept00', { ...dead, kept: true })
    leave(parent, 'agent-evals-mine', dead)
    leave(parent, 'elsewhere', dead)
    symlinkSync('elsewhere', `${parent}/agent-evals-linked`)
  })
  expect(swept.removed).toEqual([])
  expect(swept.left.length).toBe(5)
})

test('S6: an owner in another container is left alone until it is too old to run', async () => {
  const other = { ...currentOwner(false), pid: deadPid(), where: 'other:pid:[1]' }
  const swept = await sweepOf((parent) => {
    leave(parent, 'agent-evals-aaaaaa', other)
    leave(parent, 'agent-evals-bbbbbb', other, OLD)
  })
  expect(swept).toEqual({ left: ['agent-evals-aaaaaa'], removed: ['agent-evals-bbbbbb'] })
})

test('S6: without a readable owner only age decides', async () => {
  const swept = await sweepOf((parent) => {
    leave(parent, 'agent-evals-aaaaaa', null)
    leave(parent, 'agent-evals-bbbbbb', null, OLD)
    leave(parent, 'agent-evals-cccccc', '{"pid":', OLD)
    leave(parent, 'agent-evals-dddddd', { pid: -1, started: null, where: '', kept: false }, OLD)
  })
  expect(swept.left).toEqual(['agent-evals-aaaaaa'])
})

test.runIf(process.getuid?.() === 0)("S6: another user's folder is left alone (only root can make one)", async () => {
  const swept = await sweepOf((parent) => {
    leave(parent, 'agent-evals-aaaaaa', null, OLD)
    chownSync(`${parent}/agent-evals-aaaaaa`, 65_534, 65_534)
  })
  expect(swept.removed).toEqual([])
})

test('a process without runs removes its own, but never kept ones', async () => {
  await using fixture = await createFixture({})
  const parent = realpathSync(fixture.path)
  createWorkspace({ parents: [parent] })
  const kept = createWorkspace({ parents: [parent], keep: true })
  await sweepWorkspaces({ parent, includesOwn: true })
  expect(readdirSync(parent)).toEqual([`agent-evals-${kept.id}`])
})

test.runIf(process.platform === 'linux')('S6: ends an agent that outlived its run', async () => {
  await using fixture = await createFixture({})
  const parent = realpathSync(fixture.path)
  leave(parent, 'agent-evals-aaaaaa', { ...currentOwner(false), pid: deadPid() })
  const home = `${parent}/agent-evals-aaaaaa/home`
  const agent = spawn('sleep', ['1000'], { env: { PATH: process.env['PATH'], HOME: home }, detached: true })
  const bystander = spawn('sleep', ['1000'], { env: { PATH: process.env['PATH'], HOME: `${home}/other` } })
  await Promise.all([once(agent, 'spawn'), once(bystander, 'spawn')])
  const exited = once(agent, 'exit')
  await sweepWorkspaces({ parent })
  expect(await exited).toEqual([null, 'SIGKILL'])
  expect(bystander.exitCode).toBeNull()
  bystander.kill()
})
