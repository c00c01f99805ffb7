import { chmodSync, symlinkSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { copilotProgram, unpackedFolder } from '../../../../src/engines/copilot/engine.ts'

const PLATFORM = `${process.platform}-${process.arch}`

test('finds the native program behind npm’s wrapper, and what it has unpacked', async () => {
  const own = `node_modules/@github/copilot-${PLATFORM}`
  await using fixture = await createFixture({
    'node_modules/@github/copilot/npm-loader.js': '#!/usr/bin/env node\n',
    'node_modules/.bin/x': '',
    [`${own}/copilot`]: '\u007fELF',
    [`${own}/package.json`]: '{ "version": "1.0.102" }',
    [`cache/copilot/pkg/${PLATFORM}/1.0.102/.extraction-complete`]: '',
    [`cache/copilot/pkg/${PLATFORM}/1.0.101/.extraction-complete`]: '',
    [`half/copilot/pkg/${PLATFORM}/1.0.102/index.js`]: '',
  })
  symlinkSync('../@github/copilot/npm-loader.js', fixture.getPath('node_modules/.bin/copilot'))
  chmodSync(fixture.getPath(`${own}/copilot`), 0o755)
  const program = copilotProgram(fixture.getPath('node_modules/.bin/copilot'))
  expect(program).toBe(fixture.getPath(`${own}/copilot`))

  const unpacked = (cache: string): string | null =>
    unpackedFolder(program, { XDG_CACHE_HOME: fixture.getPath(cache), HOME: '/nowhere' })
  expect(unpacked('cache')).toBe(fixture.getPath(`cache/copilot/pkg/${PLATFORM}/1.0.102`))
  // A process that was killed while it unpacked leaves no mark.
  expect(unpacked('half')).toBeNull()
  expect(unpackedFolder(fixture.getPath('node_modules/.bin/copilot'), {})).toBeNull()
})
