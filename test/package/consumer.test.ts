import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { outputOf } from '../support/command.ts'
import { type VitestMajor, vitestMajors } from '../support/majors.ts'
import { startProcess } from '../support/running-process.ts'
import { REPOSITORY } from '../support/repository.ts'
import { packedTarball } from '../support/tarball.ts'

const VERSIONS = {
  4: { vitest: '4.1.12', vite: '8.3.8', '@types/node': '20.19.43' },
  5: { vitest: '5.1.1', vite: '8.3.8', '@types/node': '24.19.2' },
}

const majors = await vitestMajors()

describe.each(majors)('a consumer of the packed package on $label', (major) => {
  test('compiles, and runs the matchers', async () => {
    await using consumer = await createFixture()
    await installInto(consumer.path, major)
    const tsc = join(REPOSITORY, 'node_modules/.bin/tsc')

    await outputOf(tsc, ['-p', consumer.path])
    await outputOf(tsc, ['-p', consumer.path, '--module', 'esnext', '--moduleResolution', 'bundler'])

    const { all } = await startProcess(major.node, ['node_modules/vitest/vitest.mjs', 'run'], {
      cwd: consumer.path,
      merged: true,
      env: { PATH: process.env['PATH'], HOME: consumer.path, NO_COLOR: '1' },
      folders: { root: consumer.path.replace(/\/$/, '') },
    }).finished
    expect(all).toMatchInlineSnapshot(`
      "RUN  <root>

       ❯ matchers.test.ts (2 tests | 1 failed)
         ✓ the matchers pass
         × the matchers fail

      ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

       FAIL  matchers.test.ts > the matchers fail
      Error: expected the run to contain "Goodbye" in its output

      Expected: "Goodbye"
      Received: "Hello, World"

       ❯ matchers.test.ts:47:15
           45|
           46| test('the matchers fail', () => {
           47|   expect(run).toContainOutput('Goodbye')
             |               ^
           48| })
           49|

      ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯


       Test Files  1 failed (1)
            Tests  1 failed | 1 passed (2)"
    `)
  })
})

/** A real install of the tarball, as a user does it; the agents' CLIs are not among its dependencies. */
async function installInto(folder: string, major: VitestMajor): Promise<void> {
  await cp(join(REPOSITORY, 'test/package/consumer'), folder, { recursive: true })
  const dependencies = { ...VERSIONS[major.major], 'vitest-agent-evals': `file:${await packedTarball()}` }
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }, null, 2),
  )
  await outputOf('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: folder,
  })
}
