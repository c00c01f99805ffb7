import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { readWorkspaceFile } from '../../../src/lib/workspace-file.ts'
import { agentWorkspace } from '../../support/agent-workspace.ts'

test('reads a file up to the cap and says whether that was all', async () => {
  await using workspace = await agentWorkspace({ 'out/a.txt': 'hello' })
  expect(await readWorkspaceFile(workspace.root, 'out/a.txt', 100)).toEqual({
    status: 'read',
    bytes: Buffer.from('hello'),
    size: 5,
    truncated: false,
  })
  expect(await readWorkspaceFile(workspace.root, 'out/a.txt', 2)).toEqual({
    status: 'read',
    bytes: Buffer.from('he'),
    size: 5,
    truncated: true,
  })
  expect(await readWorkspaceFile(workspace.root, 'none/at/all', 2)).toEqual({ status: 'missing' })
  expect(await readWorkspaceFile(workspace.root, 'out/a.txt/x', 2)).toEqual({ status: 'missing' })
})

test('H1: what is no file of its own is refused without reading or waiting', async () => {
  await using workspace = await agentWorkspace({ 'real/a.txt': 'a' })
  const { root, outside } = workspace
  writeFileSync(`${outside}/secret`, 'secret')
  symlinkSync(`${outside}/secret`, `${root}/link`)
  symlinkSync(outside, `${root}/folder`)
  symlinkSync('real', `${root}/alias`)
  linkSync(`${outside}/secret`, `${root}/hard`)
  execFileSync('mkfifo', [`${root}/pipe`])
  const server = createServer().listen(`${root}/sock`)
  const reasons: Record<string, string> = {}
  const isFile: Record<string, boolean> = {}
  for (const path of [
    'link',
    'folder/secret',
    'alias/a.txt',
    'hard',
    'pipe',
    'sock',
    'real',
    '../secret',
    '/etc/hostname',
  ]) {
    const read = await readWorkspaceFile(root, path, 100)
    reasons[path] = read.status === 'unreadable' ? read.reason : read.status
    if (read.status === 'unreadable' && read.isFile !== undefined) isFile[path] = read.isFile
  }
  server.close()
  expect(reasons).toEqual({
    link: 'is a symbolic link',
    'folder/secret': 'is below a folder that is a symbolic link',
    'alias/a.txt': 'is below a folder that is a symbolic link',
    hard: 'is a hard link',
    pipe: 'is a named pipe',
    sock: 'is a socket or a pipe',
    real: 'is a folder',
    '../secret': 'leads out of the workspace',
    '/etc/hostname': 'leads out of the workspace',
  })
  expect(isFile).toEqual({ hard: true, real: false, '../secret': false, '/etc/hostname': false })
})

test('H1: of a sparse 5 GB file only the cap is read', async () => {
  await using workspace = await agentWorkspace({ sparse: 'x' })
  truncateSync(`${workspace.root}/sparse`, 5_368_709_120)
  expect(await readWorkspaceFile(workspace.root, 'sparse', 4)).toEqual({
    status: 'read',
    bytes: Buffer.from('x\0\0\0'),
    size: 5_368_709_120,
    truncated: true,
  })
})

test(
  'H5: a folder that is swapped with a link all the time never yields what the link leads to',
  { timeout: 60_000 },
  async () => {
    await using workspace = await agentWorkspace({ 'out/a.txt': 'mine' })
    const { root, outside } = workspace
    writeFileSync(`${outside}/a.txt`, 'secret')
    const swapper = spawn(process.execPath, ['-e', SWAP, root, outside], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(swapper.stdout, 'data')
    const seen = new Set<string>()
    for (let round = 0; round < 3000; round += 1) {
      const read = await readWorkspaceFile(root, 'out/a.txt', 100)
      seen.add(read.status === 'read' ? read.bytes.toString() : read.status)
    }
    swapper.kill('SIGKILL')
    await once(swapper, 'close')
    expect([...seen]).not.toContain('secret')
  },
)

const SWAP = `
  const fs = require('fs')
  const [root, outside] = process.argv.slice(1)
  console.log('ready')
  for (;;) {
    fs.renameSync(root + '/out', root + '/hidden')
    fs.symlinkSync(outside, root + '/out')
    fs.unlinkSync(root + '/out')
    fs.renameSync(root + '/hidden', root + '/out')
  }
`
