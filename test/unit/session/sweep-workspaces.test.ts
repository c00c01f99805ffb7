import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readdirSync, realpathSync, symlinkSync, utimesSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createWorkspace, sweepWorkspaces } from '../../../src/session/workspace.ts'

/** Begins the names of this machine's workspaces. */
const [SPACE = ''] = spaces()

function spaces(): readonly string[] {
  const workspace = createWorkspace()
  void workspace.remove()
  return workspace.id.split('-')
}

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

/** Makes what a process left, and returns its path. */
function leave(parent: string, pid: number, { space = SPACE, age }: { space?: string; age?: Date } = {}): string {
  const root = `${parent}/agent-evals-${space}-${pid}-aaaaaa`
  mkdirSync(`${root}/workspace`, { recursive: true })
  if (age !== undefined) utimesSync(root, age, age)
  return root
}

function deadPid(): number {
  return Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }))
}

test('S6: removes what a killed run left', async () => {
  const pid = deadPid()
  const { left, removed } = await sweepOf((parent) => leave(parent, pid))
  expect([left, removed]).toEqual([[], [`agent-evals-${SPACE}-${pid}-aaaaaa`]])
})

test('S6: leaves running and kept workspaces, and whatever is not a workspace', async () => {
  const swept = await sweepOf((parent) => {
    createWorkspace({ parents: [parent] })
    createWorkspace({ parents: [parent], keep: true })
    leave(parent, process.ppid)
    for (const name of ['elsewhere', 'agent-evals-mine', `agent-evals-${SPACE}-${deadPid()}-aaaa`])
      mkdirSync(`${parent}/${name}`)
    symlinkSync('elsewhere', `${parent}/agent-evals-${SPACE}-${deadPid()}-linked`)
  })
  expect(swept.removed).toEqual([])
  expect(swept.left.length).toBe(7)
})

test('S6: what another container made is left alone until it is too old to run', async () => {
  const pid = deadPid()
  const swept = await sweepOf((parent) => {
    leave(parent, pid, { space: '000000' })
    leave(parent, pid, { space: '111111', age: OLD })
  })
  expect(swept).toEqual({
    left: [`agent-evals-000000-${pid}-aaaaaa`],
    removed: [`agent-evals-111111-${pid}-aaaaaa`],
  })
})

test.runIf(process.getuid?.() === 0)("S6: another user's folder is left alone (only root can make one)", async () => {
  const swept = await sweepOf((parent) => chownSync(leave(parent, deadPid()), 65_534, 65_534))
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
  const home = `${leave(parent, deadPid())}/home`
  const agent = spawn('sleep', ['1000'], { env: { PATH: process.env['PATH'], HOME: home }, detached: true })
  const bystander = spawn('sleep', ['1000'], { env: { PATH: process.env['PATH'], HOME: `${home}/other` } })
  await Promise.all([once(agent, 'spawn'), once(bystander, 'spawn')])
  const exited = once(agent, 'exit')
  await sweepWorkspaces({ parent })
  expect(await exited).toEqual([null, 'SIGKILL'])
  expect(bystander.exitCode).toBeNull()
  bystander.kill()
})
