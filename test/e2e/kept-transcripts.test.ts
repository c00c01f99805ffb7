// @module-tag no-engine
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { config } from '../support/eval-project.ts'
import { lineEngine } from '../support/line-engine.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'

const NAMES = ['a', 'b', 'c', 'd']

/** What tests leave in the heap of their worker, while their file goes on. */
const TESTS = `
import v8 from 'node:v8'
import vm from 'node:vm'
import { expect, test } from 'vitest-agent-evals/test'

v8.setFlagsFromString('--expose-gc')
const gc = vm.runInNewContext('gc')
const seen = []
const note = (run) => (seen.push(new WeakRef(run.transcript)), run)

${NAMES.map((name) => `test('${name}', { concurrent: false }, async ({ agent }) => expect(note(await agent.run('Talk.'))).toContainOutput('word'))`).join('\n')}
test('last', { concurrent: false }, async ({ agent }) => {
  await agent.run('Talk.')
  await new Promise((resolve) => setTimeout(resolve, 50))
  gc()
  expect(seen.map((one) => one.deref() !== undefined)).toEqual([${NAMES.map(() => 'false').join(', ')}])
})
`

describe('the transcripts of tests', () => {
  test('are not kept until their file is over, however a test is written', async () => {
    await using project = await createProject(repositoryVitest(), {
      'vitest.config.ts': config(
        "{ sandbox: 'none', engine: 'talker', engines: { talker: { module: './talker.mjs', executable: './talker.sh' } } }",
      ),
      'talker.mjs': lineEngine(`
  name: 'talker',
  executable: 'talker.sh',
  versionArguments: ['--version'],
  parseVersion: () => '1.0.0',
  command: ({ env }) => ({ arguments: [], env, stdin: '' }),
`),
      'talker.sh': '#!/bin/sh\necho word\n',
      'evals/talks.eval.ts': TESTS,
      ...Object.fromEntries(
        [...NAMES, 'last'].map((name) => [`evals/scenarios/${name}.yaml`, 'turns: [Never asked.]\n']),
      ),
    })
    await chmod(join(project.root, 'talker.sh'), 0o755)
    const { exitCode, all } = await project.run(['run', '--project', 'evals', '--reporter', 'verbose'])
    expect(exitCode, all).toBe(0)
    expect(all).toContain('5 passed')
  })
})
