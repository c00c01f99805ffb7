import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture, type FileTree, type FsFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findForeignFile } from '../../../src/sandbox/prepare-session.ts'

const FILES: FileTree = {
  'case.yaml': '',
  'packages/a/case.yaml': '',
  'node_modules/b/case.yaml': '',
  'submodule/.git': 'gitdir: ../.git/modules/submodule\n',
  'submodule/case.yaml': '',
  'link.yaml': ({ symlink }) => symlink('../elsewhere/case.yaml'),
}

function createTree(): Promise<FsFixture> {
  return createFixture({
    'elsewhere/case.yaml': '',
    repository: { '.git/HEAD': '', ...FILES },
    folder: FILES,
  })
}

test.for(['repository', 'folder'] as const)('what is the own of a %s', async (name) => {
  await using tree = await createTree()
  const root = join(realpathSync(tree.path), name)
  const isOwn = (file: string, from = root): boolean => findForeignFile(from, [join(root, file)]) === null
  expect(['case.yaml', 'packages/a/case.yaml'].map((file) => isOwn(file))).toEqual([true, true])
  for (const file of ['node_modules/b/case.yaml', 'submodule/case.yaml', 'link.yaml', '../elsewhere/case.yaml'])
    expect(isOwn(file), file).toBe(false)
  // A work tree reaches above the Vitest root; without one, nothing says how far the project does.
  expect(isOwn('case.yaml', join(root, 'packages/a'))).toBe(name === 'repository')
  expect(isOwn('packages/a/case.yaml', join(root, 'packages/a'))).toBe(true)
})

test('the first foreign file is named', async () => {
  await using tree = await createTree()
  const files = ['case.yaml', 'node_modules/b/case.yaml', 'link.yaml'].map((file) => tree.getPath('folder', file))
  expect(findForeignFile(tree.getPath('folder'), files)).toBe(files[1])
})
