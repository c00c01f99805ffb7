// @module-tag claude-code
// @module-tag slow
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { config, readReports } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import {
  changedExampleFiles,
  EXAMPLE_CASES,
  EXAMPLE_PLUGIN,
  exampleScenarios,
  exampleSuite,
} from '../support/plugin-eval/example.ts'
import { ourScores } from '../support/plugin-eval/our-scores.ts'
import { readKept } from '../support/plugin-eval/run-both.ts'
import { createProject } from '../support/project.ts'

test.skipIf(claudeExecutable() === null)(
  'the recorded plugin evals replay without a model, with the scores of claude plugin eval',
  { timeout: 600_000 },
  async () => {
    if (process.env['UPDATE_PLUGIN_EVAL'] !== undefined) await recordExample()
    expect(await changedExampleFiles()).toEqual([])
    expect(EXAMPLE_CASES.length).toBeGreaterThanOrEqual(20)

    await using project = await createProject(repositoryVitest())
    const isOwn = (file: string): boolean => !/\/(?:node_modules|\.vitest|reports|scenarios)(?:\/|$)/.test(file)
    await cp(EXAMPLE_PLUGIN, project.root, { recursive: true, filter: isOwn })
    const finished = await project.run(['run', '--project', 'evals'], {
      env: { AGENT_EVALS_SOURCE: 'replay' },
    })
    const [report] = await readReports(project)
    const cases = report?.cases ?? []
    expect(cases.length, finished.all).toBeGreaterThanOrEqual(2 * EXAMPLE_CASES.length)
    // Nothing of it passes for what a model said.
    expect(new Set(cases.map(({ source, recorded }) => `${source} of ${recorded?.origin}`))).toEqual(
      new Set(['replay of scenario']),
    )
    const scores = await ourScores(cases, project.root)
    const kept = await readKept('plugin-eval-scores.json')
    expect(scores).toEqual(Object.fromEntries(EXAMPLE_CASES.map((name) => [name, kept.cases[name]?.theirs])))
  },
)

async function recordExample(): Promise<void> {
  const files = exampleSuite()
  for (const folder of ['evals', 'skills', '.claude-plugin'])
    await rm(join(EXAMPLE_PLUGIN, folder), { recursive: true, force: true })
  for (const [path, content] of Object.entries({ ...files, ...exampleScenarios() })) {
    const to = join(EXAMPLE_PLUGIN, path)
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, content as Buffer | string)
  }
  await using project = await createProject(repositoryVitest(), {
    ...files,
    ...exampleScenarios(),
    'vitest.config.ts': config(`{ sandbox: 'prefer', scaffold: true, threshold: 0, source: 'record' }`),
  })
  const { all, exitCode } = await project.run(['run', '--project', 'evals'])
  if (exitCode !== 0) throw new Error(all)
  await cp(join(project.root, 'evals/recordings'), join(EXAMPLE_PLUGIN, 'evals/recordings'), { recursive: true })
}
