import { existsSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createWorkspace } from '../../../src/session/workspace.ts'

test('makes the folders of a run that only this user may enter, and removes them', async () => {
  await using fixture = await createFixture({})
  const parent = realpathSync(fixture.path)
  let root: string
  {
    await using workspace = createWorkspace({ parents: [parent] })
    root = workspace.root
    expect(dirname(root)).toBe(parent)
    expect(basename(root)).toBe(`agent-evals-${workspace.id}`)
    expect(statSync(root).mode & 0o777).toBe(0o700)
    expect(readdirSync(root).toSorted()).toEqual(['config', 'home', 'hooks', 'package', 'tmp', 'workspace'])
    expect(workspace.package).toBe(`${root}/package`)
    expect(workspace.notice).toBe(null)
    expect(basename(root)).toMatch(new RegExp(`-${process.pid}-[A-Za-z0-9]{6}$`))
    writeFileSync(`${workspace.workspace}/a.txt`, '')
  }
  expect(existsSync(root)).toBe(false)
  expect(readdirSync(parent)).toEqual([])
})

test('a kept workspace stays until it is removed', async () => {
  await using fixture = await createFixture({})
  const workspace = createWorkspace({ parents: [fixture.path], keep: true })
  await workspace[Symbol.asyncDispose]()
  expect(existsSync(workspace.root)).toBe(true)
  expect(await workspace.remove()).toBe(null)
  expect(existsSync(workspace.root)).toBe(false)
})

test.each(['.git', 'CLAUDE.md', '.claude', '.mcp.json', 'AGENTS.md'])(
  'H6: a folder below %s is passed over for the next one, and that is said',
  async (marker) => {
    await using fixture = await createFixture({ 'repository/tmp': {}, elsewhere: {} })
    const root = realpathSync(fixture.path)
    mkdirSync(`${root}/repository/tmp/deep`, { recursive: true })
    mkdirSync(`${root}/elsewhere`, { recursive: true })
    writeFileSync(`${root}/repository/${marker}`, '')
    await using workspace = createWorkspace({
      parents: [`${root}/repository/tmp/deep`, `${root}/none`, `${root}/elsewhere`],
    })
    expect(dirname(workspace.root)).toBe(`${root}/elsewhere`)
    expect(workspace.notice).toBe(
      `Workspaces are made in ${root}/elsewhere: agents would read ${root}/repository/${marker}, which is above the temporary folder.`,
    )
  },
)

test('a folder below the project is passed over for the next one, and that is said', async () => {
  await using fixture = await createFixture({ 'project/tmp': {}, elsewhere: {} })
  const root = realpathSync(fixture.path)
  mkdirSync(`${root}/project/tmp`, { recursive: true })
  mkdirSync(`${root}/elsewhere`, { recursive: true })
  const parents = [`${root}/project/tmp`, `${root}/elsewhere`]
  await using workspace = createWorkspace({ parents, keep: true, project: `${root}/project` })
  expect(dirname(workspace.root)).toBe(`${root}/elsewhere`)
  expect(workspace.notice).toBe(
    `Workspaces are made in ${root}/elsewhere: ${root}/project/tmp is below the project, whose tests would include what a session leaves.`,
  )
})

test('H6: without any such folder there is no workspace', async () => {
  await using fixture = await createFixture({ 'tmp/.git': '' })
  const parent = realpathSync(fixture.getPath('tmp'))
  expect(() => createWorkspace({ parents: [parent] })).toThrow(
    expect.objectContaining({
      code: 'workspace-failed',
      message:
        `No safe directory for workspaces: ${parent}/.git contains instructions that agents would read. ` +
        'Remove that, or set TMPDIR to a folder outside every repository.',
    }),
  )
})

test('S4: a path with spaces, quotes and an emoji is a path', async () => {
  await using fixture = await createFixture({})
  const parent = `${realpathSync(fixture.path)}/a "b" 'c' 🦊`
  mkdirSync(parent)
  await using workspace = createWorkspace({ parents: [parent] })
  expect(dirname(workspace.root)).toBe(parent)
})
