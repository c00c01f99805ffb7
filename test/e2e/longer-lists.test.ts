// @module-tag no-engine
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { greeting, readReport } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { TOY_PROGRAM } from '../support/toy-lists.ts'

test('workers run cases with longer lists, and the report shows them', async () => {
  await using project = await createProject(repositoryVitest(), {
    'vitest.config.ts': CONFIG,
    'package.agent.json': '{ "name": "toys", "version": "1.0.0" }',
    'evals/hello.toy': 'Say hello. => in toy: yes',
    'evals/cases/plain.yaml': greeting('plain'),
    'evals/scenarios/toy.yaml': SCENARIO,
    'evals/scenarios/plain.yaml': SCENARIO,
    toy: TOY_PROGRAM,
  })
  await chmod(join(project.root, 'toy'), 0o755)
  await bundleLists(join(project.root, 'lists.mjs'))

  const finished = await project.run(['run', '--project', 'evals'], {
    merged: true,
    env: { AGENT_EVALS_TOY_PATIENCE: '7' },
  })
  const report = await readReport(project).catch((error: unknown) => expect.fail(`${String(error)}\n${finished.all}`))
  expect(report.config).toMatchObject({ engine: 'toy', engine_version: '1.0.0', judge: 'toy-judge' })
  expect(report.cases, finished.all).toHaveLength(2)
  expect(report.cases.find(({ name }) => name === 'toy')).toMatchObject({
    format: 'toy',
    verdict: 'PASS',
    sandbox: { enforced: 'toy (words)' },
    judge_verdict: { result: 'PASS', reason: 'toy-judge has patience 7.', model_provider: 'anthropic' },
    runs: [{ folder: expect.stringContaining('/toys/toy/toy.1') }],
  })
  expect(report.cases.find(({ name }) => name === 'plain')).toMatchObject({ format: 'aam', verdict: 'PASS' })

  // So do the commands that start no Vitest.
  const [name = ''] = await readdir(join(project.root, 'evals/reports'))
  const judged = await project.agentEvals(
    ['rejudge', `evals/reports/${name}`, '--judge', 'toy-other', '-o', 'judged.json'],
    {
      env: { AGENT_EVALS_TOY_PATIENCE: '7' },
    },
  )
  expect(JSON.parse(await readFile(join(project.root, 'judged.json'), 'utf8')), judged.all).toMatchObject({
    cases: expect.arrayContaining([
      expect.objectContaining({
        format: 'toy',
        judge_verdict: expect.objectContaining({ result: 'PASS', reason: 'toy-other has patience 7.' }),
      }),
    ]),
  })
  await writeFile(join(project.root, 'evals/eval-config.json'), CASE_CONFIG)
  const listed = await project.agentEvals(['list', '--json'])
  expect(JSON.parse(listed.stdout), listed.all).toMatchObject({
    cases: expect.arrayContaining([expect.objectContaining({ kind: 'toy', engine: 'toy', prompt: 'Say hello.' })]),
  })
  const linted = await project.agentEvals(['lint', '--json'])
  expect(JSON.parse(linted.stdout), linted.all).toMatchObject({ cases: 2, errors: 0 })
  const builtIn = await project.agentEvals(['lint', '--json', '--no-config'])
  expect(JSON.parse(builtIn.stdout), builtIn.all).toMatchObject({ cases: 1, errors: 1 })
})

const CASE_CONFIG = '{ "version": 1, "engine": "toy", "judge": "toy:toy-judge" }'

// What the toy says needs no answer of a model.
const SCENARIO = 'turns: [Done.]\njudge:\n  - never asked\n'

// Vite would copy what a configuration imports by a path into the configuration.
const CONFIG = `
const load = (path: string) => import(new URL(path, import.meta.url).href)
const { createPlugin } = await load('node_modules/vitest-agent-evals/dist/vitest/plugin/create-plugin.js')
const { lists } = await load('lists.mjs')
const options = { engine: 'toy', engines: { toy: 'toy' }, sandbox: 'toy', judge: 'toy-judge' }
export default { plugins: [createPlugin(options, lists)] }
`

/** One module for the main process and its workers, which read no TypeScript. */
async function bundleLists(file: string): Promise<void> {
  const input = join(REPOSITORY, 'test/support/toy-lists.ts')
  const build = await rolldown({ input, platform: 'node', transform: { target: 'node20.19' } })
  await build.write({ file, format: 'esm', codeSplitting: false })
  await build.close()
}
