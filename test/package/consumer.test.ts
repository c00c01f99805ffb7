// @module-tag slow
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFixture, type FsFixture } from 'fs-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outputOf } from '../support/command.ts'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { docFiles } from '../support/doc-files.ts'
import type { VitestMajor } from '../support/majors.ts'
import { startProcess } from '../support/running-process.ts'
import { REPOSITORY } from '../support/repository.ts'
import { packedTarball } from '../support/tarball.ts'
import { RECORDS_SCENARIOS } from '../support/project.ts'

const VERSIONS = {
  4: { vitest: '4.1.12', vite: '8.3.8', '@types/node': '20.19.43' },
  5: { vitest: '5.1.1', vite: '8.3.8', '@types/node': '24.19.2' },
}

describeOnMajors('a consumer of the packed package on $label', [], (major) => {
  let installed: FsFixture
  beforeAll(async () => {
    installed = await install(major)
  })
  afterAll(() => installed?.rm())

  test('gets a green replay in an empty folder of two lines of configuration and a case', async () => {
    await using consumer = await createConsumer(installed, {
      'vitest.config.ts':
        "import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals()] }\n",
      'evals/cases/greets.yaml': 'name: greets\ninput: { prompt: Say hello. }\njudge: { criteria: It greets. }\n',
    })
    const scenario = join(consumer.path, 'evals/scenarios/greets.yaml')
    const verdict = '{ verdict: pass, reason: It greets., quote: Hello! }'
    await mkdir(dirname(scenario), { recursive: true })
    await writeFile(scenario, `turns: [Hello!]\njudge: [[${verdict}]]\n`)
    expect(await runEvals(major, consumer.path, { ...RECORDS_SCENARIOS, AGENT_EVALS_SOURCE: 'record' })).toMatch(
      /Tests\s+1 passed/,
    )
    // What a team commits: the case and its recording.
    await rm(dirname(scenario), { recursive: true })
    expect(await runEvals(major, consumer.path, { CI: 'true' })).toMatch(/Answers\s+1 from recordings of scenarios/)
  })

  test('compiles and runs what docs/typescript.md says', async () => {
    const config = await readFile(join(REPOSITORY, 'example-package/vitest.config.ts'), 'utf8')
    await using consumer = await createConsumer(installed, {
      'vitest.config.ts': config,
      'tsconfig.json': await readFile(join(REPOSITORY, 'test/package/consumer/tsconfig.json'), 'utf8'),
      ...(await docFiles('docs/typescript.md')),
    })
    const tsc = join(REPOSITORY, 'node_modules/.bin/tsc')
    await outputOf(tsc, ['-p', consumer.path])
    expect(await runEvals(major, consumer.path, {})).toMatch(/Tests\s+4 passed/)
    expect(await runVitest(major, consumer.path, ['run'], {})).toMatch(/Tests\s+1 passed/)
  })

  test('compiles, and runs the matchers', async () => {
    await using consumer = await createConsumer(installed)
    await cp(join(REPOSITORY, 'test/package/consumer'), consumer.path, { recursive: true })
    const tsc = join(REPOSITORY, 'node_modules/.bin/tsc')

    await outputOf(tsc, ['-p', consumer.path])
    await outputOf(tsc, ['-p', consumer.path, '--module', 'esnext', '--moduleResolution', 'bundler'])

    expect(await runVitest(major, consumer.path, ['run', 'exports'], {})).toMatch(/Tests\s+1 passed/)
    expect(await runVitest(major, consumer.path, ['run', 'matchers'], {})).toMatchInlineSnapshot(`
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

function runEvals(major: VitestMajor, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  return runVitest(major, folder, ['run', '--project', 'evals'], env)
}

async function runVitest(
  major: VitestMajor,
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { all } = await startProcess(major.node, ['node_modules/vitest/vitest.mjs', ...args], {
    cwd: folder,
    merged: true,
    // The CLI is no dependency; people have it on their PATH.
    env: {
      PATH: `${join(REPOSITORY, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      NO_COLOR: '1',
      ...env,
    },
    folders: { root: folder.replace(/\/$/, '') },
  }).finished
  return all
}

/** A real install of the tarball, as a user does it; the agents' CLIs are not among its dependencies. */
async function install(major: VitestMajor): Promise<FsFixture> {
  const dependencies = { ...VERSIONS[major.major], 'vitest-agent-evals': `file:${await packedTarball()}` }
  const folder = await createFixture({
    'package.json': JSON.stringify({ private: true, type: 'module', dependencies }, null, 2),
  })
  await outputOf('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: folder.path,
  })
  return folder
}

/** A folder into which what was installed is moved, for as long as it is used. */
async function createConsumer(
  installed: FsFixture,
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly path: string } & AsyncDisposable> {
  const consumer = await createFixture({
    'package.json': await installed.readFile('package.json', 'utf8'),
    ...files,
  })
  const [home, lent] = [installed.getPath('node_modules'), consumer.getPath('node_modules')]
  await rename(home, lent)
  return {
    path: consumer.path,
    async [Symbol.asyncDispose]() {
      // What Vitest keeps of the tests that it ran.
      for (const cache of ['.vite', '.vite-temp']) await rm(join(lent, cache), { recursive: true, force: true })
      await rename(lent, home)
      await consumer.rm()
    },
  }
}
