import { expect, test } from 'vitest'
import { protectedPaths } from '../../../src/sandbox/prepare-session.ts'

const protectedFiles = ['hooks/plan.json', 'workspace/.github/hooks/package.json', 'config/rules/commands.rules']

test('folders around a protected file are mount points, so that none of them can be replaced', () => {
  expect(protectedPaths({ protectedFiles, writablePaths: null })).toEqual({
    files: protectedFiles,
    folders: ['config/rules', 'workspace/.github', 'workspace/.github/hooks'],
  })
})

test.for([
  [['.'], ['workspace/.github', 'workspace/.github/hooks']],
  [['.github'], ['workspace/.github/hooks']],
  [['.github/hooks'], []],
] as const)('below the writable path %s the folders are %s', ([writablePaths, folders]) => {
  const found = protectedPaths({ protectedFiles, writablePaths })
  expect(found.folders.filter((path) => path.startsWith('workspace/'))).toEqual(folders)
  expect(found.files).toEqual(protectedFiles)
})

test('nothing of a workspace that is read-only is mounted again', () => {
  expect(protectedPaths({ protectedFiles, writablePaths: ['output', '.git'] })).toEqual({
    files: ['hooks/plan.json', 'config/rules/commands.rules'],
    folders: ['config/rules'],
  })
})
