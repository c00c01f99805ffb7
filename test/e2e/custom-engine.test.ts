// @module-tag claude-code
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readReports, saying } from '../support/eval-project.ts'
import { lineEngine } from '../support/line-engine.ts'
import { bash, createPackage, describeEvals, scenarioFile } from '../support/package-run.ts'

describeEvals('an engine of the user’s own', () => {
  test('runs the same cases beside another one', async () => {
    await using project = await createPackage({
      cases: { writes: { expected: { 'files-created': ['out.txt'] } } },
      options: "{ sandbox: 'prefer', engines: { mine: { module: './mine.mjs', executable: './mine.sh' } } }",
      files: {
        'evals/scenarios/writes.yaml': scenarioFile([{ tools: [bash('echo hi > out.txt')] }, 'Done.']),
        'evals/scenarios/writes.mine.yaml': saying('Done.'),
        'mine.mjs': OWN_ENGINE,
        'mine.sh': '#!/bin/sh\ncat > /dev/null\necho hi > out.txt\necho Done.\n',
      },
    })
    await chmod(join(project.root, 'mine.sh'), 0o755)
    const finished = await project.run(['run', '--project', 'evals', '--reporter', 'verbose'], {
      env: { AGENT_EVALS_ENGINE: 'claude-code,mine', AGENT_EVALS_JUDGE: 'claude-sonnet' },
    })
    const reports = (await readReports(project)).map(({ config, cases }): [string | null, unknown] => [
      config.engine,
      cases.map(({ name, verdict, error, record = 'gateway' }) => [name, verdict, error, record]),
    ])
    expect(Object.fromEntries(reports), finished.all).toEqual({
      'claude-code': [['writes (claude-code)', 'PASS', null, 'gateway']],
      mine: [['writes (mine)', 'PASS', null, 'engine']],
    })
  })
})

/** The smallest engine: a program that is given the prompt and prints what it has to say. */
const OWN_ENGINE = lineEngine(`
  name: 'mine',
  executable: 'mine.sh',
  versionArguments: [],
  parseVersion: () => '1.0.0',
  command: ({ prompt, env }) => ({ arguments: [], env, stdin: prompt }),
`)
