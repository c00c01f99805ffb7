import { mkdirSync, writeFileSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { measureDisk } from '../../../src/workspace/disk-use.ts'

test.skipIf(process.platform !== 'linux')('counts names that are no text, and what is below them', async () => {
  await using fixture = await createFixture({})
  const folder = Buffer.concat([Buffer.from(`${fixture.path}/x`), Buffer.from([0xff])])
  mkdirSync(folder)
  writeFileSync(Buffer.concat([folder, Buffer.from('/y'), Buffer.from([0xfe])]), 'a')
  const { entries } = await measureDisk(fixture.path, { bytes: 10_000_000, entries: 10 })
  expect(entries).toBe(2)
})
