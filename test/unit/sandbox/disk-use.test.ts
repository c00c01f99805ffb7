import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { measureDisk } from '../../../src/sandbox/run.ts'

test.skipIf(process.platform !== 'linux')('counts names that are no text, and what is below them', async () => {
  await using fixture = await createFixture({})
  const folder = Buffer.concat([Buffer.from(`${fixture.path}/x`), Buffer.from([0xff])])
  mkdirSync(folder)
  writeFileSync(Buffer.concat([folder, Buffer.from('/y'), Buffer.from([0xfe])]), 'a')
  const { entries } = await measureDisk(fixture.path, { bytes: 10_000_000, entries: 10 })
  expect(entries).toBe(2)
})

// A folder of which the path can be looked at, and a file or folder in it of which it cannot.
test.skipIf(process.platform !== 'linux').each(['head -c 1000000 /dev/zero > $long$name', 'mkdir -p $name/$name'])(
  'a path that is too long to be looked at exceeds the limit: %s',
  async (make) => {
    await using fixture = await createFixture({})
    const folder = 'f'.repeat(200)
    const depth = Math.floor((4090 - fixture.path.length) / 201)
    const script = `name=${folder}; long=${'l'.repeat(50)}; i=0; while [ $i -lt ${depth} ]; do mkdir $name; cd -P ./$name; i=$((i+1)); done; ${make}`
    execFileSync('sh', ['-c', script], { cwd: fixture.path })
    expect(await measureDisk(fixture.path, { bytes: 10_000_000, entries: 1000 })).toMatchObject({ entries: Infinity })
    execFileSync('rm', ['-rf', fixture.path])
  },
)
