import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture, type FsFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findForeignFile, isInRepository } from '../../../src/sandbox/own-repository.ts'

function createTree(): Promise<FsFixture> {
  return createFixture({
    'elsewhere/case.yaml': '',
    repository: {
      '.git/HEAD': '',
      'case.yaml': '',
      'packages/a/case.yaml': '',
      'node_modules/b/case.yaml': '',
      'submodule/.git': 'gitdir: ../.git/modules/submodule\n',
      'submodule/case.yaml': '',
      'link.yaml': ({ symlink }) => symlink('../elsewhere/case.yaml'),
    },
  })
}

test.for([
  ['case.yaml', true],
  ['packages/a/case.yaml', true],
  ['node_modules/b/case.yaml', false],
  ['submodule/case.yaml', false],
  ['link.yaml', false],
  ['../elsewhere/case.yaml', false],
] as const)('%s is the own of the repository: %s', async ([file, isOwn]) => {
  await using tree = await createTree()
  const repository = join(realpathSync(tree.path), 'repository')
  const path = join(repository, file)
  for (const root of [repository, join(repository, 'packages/a')])
    expect(findForeignFile(root, [join(repository, 'case.yaml'), path])).toBe(isOwn ? null : path)
})

test('a folder is in a repository or not', async () => {
  await using tree = await createTree()
  expect([isInRepository(tree.getPath('repository/packages/a')), isInRepository(tree.getPath('elsewhere'))]).toEqual([
    true,
    false,
  ])
})

test('nothing is the own of a folder that is in no repository', async () => {
  await using tree = await createTree()
  const file = tree.getPath('elsewhere/case.yaml')
  expect(findForeignFile(tree.getPath('elsewhere'), [file])).toBe(file)
})
