import { realpathSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findSandboxRuntime } from '../../../../src/sandbox/sandbox-runtime/command.ts'

const PACKAGE = 'node_modules/@anthropic-ai/sandbox-runtime'
const MANIFEST = '{ "main": "./dist/index.js" }'

test('finds it above the project, by its real path', async () => {
  await using files = await createFixture({
    'store/sandbox-runtime/package.json': MANIFEST,
    'node_modules/@anthropic-ai': {},
    'packages/a/package.json': '{}',
  })
  await symlink(files.getPath('store/sandbox-runtime'), files.getPath(PACKAGE))
  const folder = realpathSync(files.getPath('store/sandbox-runtime'))

  expect(findSandboxRuntime({ environment: {}, root: files.getPath('packages/a') })).toEqual({
    folder,
    module: join(folder, 'dist/index.js'),
  })
})

test('takes the one of AGENT_EVALS_ENGINES first', async () => {
  await using files = await createFixture({
    [`${PACKAGE}/package.json`]: MANIFEST,
    [`engines/${PACKAGE}/package.json`]: '{ "main": "other.js" }',
  })
  const found = findSandboxRuntime({ environment: { AGENT_EVALS_ENGINES: 'engines' }, root: files.path })

  expect(found?.module).toBe(realpathSync(files.getPath(`engines/${PACKAGE}`)) + '/other.js')
})

test('leaves a manifest that cannot be read to whoever loads it', async () => {
  await using files = await createFixture({ [`${PACKAGE}/package.json`]: '{' })
  const found = findSandboxRuntime({ environment: {}, root: files.path })

  expect(found?.module).toBe(`${realpathSync(files.getPath(PACKAGE))}/dist/index.js`)
})

test('finds none where there is none', async () => {
  await using files = await createFixture({ 'package.json': '{}' })
  expect(findSandboxRuntime({ environment: { AGENT_EVALS_ENGINES: '' }, root: files.path })).toBeNull()
})
